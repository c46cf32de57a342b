#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::latch;
using kubecoro::result;
using kubecoro::testing::ready_order;
using kubecoro::testing::run_limits;
using kubecoro::testing::runner;
using namespace std::chrono_literals;

namespace {

/// Has no default constructor; the runner must not need one.
struct stubborn
{
    explicit stubborn(int v) : n(v) {}
    int n;
};

asio::awaitable<result<stubborn>> sleeps(kubecoro::time_source& c, int n)
{
    const auto slept = co_await kubecoro::sleep_for(c, 10min);
    if (!slept) co_return slept.error();
    co_return stubborn(n);
}

asio::awaitable<result<>> throws()
{
    throw std::runtime_error("out of reach");
    co_return result<>{};
}

asio::awaitable<result<>> spins()
{
    for (;;) co_await asio::post(asio::use_awaitable);
}

asio::awaitable<result<>> sleeps_for_ever(kubecoro::time_source& c)
{
    for (;;) {
        const auto slept = co_await kubecoro::sleep_for(c, 1h);
        if (!slept) co_return slept;
    }
}

asio::awaitable<result<>> ticks(kubecoro::time_source& c, int& count)
{
    for (;;) {
        const auto slept = co_await kubecoro::sleep_for(c, 1s);
        if (!slept) co_return slept;
        ++count;
    }
}

} // namespace

TEST_CASE("runner: runs a coroutine to its end in virtual time", "[testing][runner]")
{
    runner r;
    const auto start = r.clock().now();
    const auto got = r.run(sleeps(r.clock(), 7));
    REQUIRE(got.has_value());
    CHECK(got->n == 7);
    CHECK(r.clock().now() - start == 10min);
    CHECK(r.handlers() > 0);
    CHECK(r.run(throws()).error() == cond::internal);
}

TEST_CASE("runner: a deadlock is reported instead of waiting", "[testing][runner]")
{
    runner r;
    const auto got = r.run(latch{}.wait());
    REQUIRE(got.has_error());
    CHECK(got.error() == cond::internal);
    CHECK(got.error().message().find("deadlock") != std::string::npos);
}

TEST_CASE("runner: coroutines that never end exceed a limit", "[testing][runner]")
{
    runner r;
    run_limits limits;
    limits.handlers = 1000;
    limits.time = std::chrono::hours{24};
    CHECK(r.run(spins(), limits).error().message().find("handlers") != std::string::npos);
    CHECK(r.run(sleeps_for_ever(r.clock()), limits).error().message().find("time") != std::string::npos);
    (void)r.spawn(spins());
    CHECK_THROWS_WITH(r.run_until_idle(1000), Catch::Contains("1000 handlers ran while virtual time stood still"));
}

TEST_CASE("runner: time advances only when advanced", "[testing][runner]")
{
    runner r;
    int count = 0;
    const auto t = r.spawn(ticks(r.clock(), count));
    r.run_until_idle();
    CHECK(count == 0);
    r.advance(3500ms);
    CHECK(count == 3);
    r.advance(500ms);
    CHECK(count == 4);
    CHECK(r.run_until([&] { return count == 10; }).has_value());
    CHECK(count == 10);
    t.cancel();
    r.run_until_idle();
    REQUIRE(t.done());
    CHECK(t.outcome().error() == cond::cancelled);
    t.cancel(); // harmless
    CHECK(r.step(5) == 0);
}

TEST_CASE("runner: a task that is cancelled before its start never begins", "[testing][runner]")
{
    for (const auto order : {ready_order::fifo, ready_order::shuffled}) {
        runner r(3, order);
        int count = 0;
        const auto t = r.spawn(ticks(r.clock(), count));
        t.cancel();
        r.run_until_idle();
        REQUIRE(t.done());
        CHECK(t.outcome().error() == cond::cancelled);
        CHECK(count == 0);
    }
}

TEST_CASE("runner: the same seed gives the same run", "[testing][runner]")
{
    runner a(3);
    runner b(3);
    runner c(4);
    CHECK(a.random()() == b.random()());
    CHECK(a.random()() != c.random()());
}

TEST_CASE("runner: coroutines can be destroyed while their strands still live", "[testing][runner]")
{
    auto strand_life = std::make_shared<int>(0);
    runner r;
    const auto strand = asio::make_strand(r.executor());
    const auto t = r.spawn([](latch l, std::shared_ptr<int>) { return l.wait(); }(latch{}, strand_life));
    r.run_until_idle();
    r.destroy_coroutines();
    CHECK_FALSE(t.done());
    t.cancel(); // nothing left to cancel
    CHECK(strand_life.use_count() == 1);
}

namespace {

/// Returns the order in which simultaneously ready handlers run: upper-case letters on the runner's executor,
/// lower-case letters on one strand.
std::string order_of_handlers(std::uint64_t seed, ready_order order)
{
    runner r(seed, order);
    std::string ran;
    const auto strand = asio::make_strand(r.executor());
    for (const char name : std::string_view("ABCDEFGH")) asio::post(r.executor(), [&ran, name] { ran += name; });
    for (const char name : std::string_view("abcdefgh")) asio::post(strand, [&ran, name] { ran += name; });
    r.run_until_idle();
    return ran;
}

std::string only(std::string text, bool (*keep)(char))
{
    std::erase_if(text, [keep](char c) { return !keep(c); });
    return text;
}

} // namespace

TEST_CASE("runner: shuffled handlers run in an order drawn from the seed, strands keep their order",
          "[testing][runner]")
{
    const auto small = [](char c) { return c >= 'a'; };
    const auto capital = [](char c) { return c < 'a'; };
    CHECK(order_of_handlers(1, ready_order::fifo) == "ABCDEFGHabcdefgh");
    std::set<std::string> orders;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto ran = order_of_handlers(seed, ready_order::shuffled);
        CHECK(ran == order_of_handlers(seed, ready_order::shuffled));
        CHECK(only(ran, small) == "abcdefgh");
        CHECK(ran.size() == 16);
        orders.insert(only(ran, capital));
    }
    CHECK(orders.size() > 15);
}

TEST_CASE("runner: with shuffled order coroutines end, sleep and can be destroyed", "[testing][runner]")
{
    runner r(5, ready_order::shuffled);
    const auto slept = r.run(sleeps(r.clock(), 7));
    REQUIRE(slept);
    CHECK(slept->n == 7);
    auto life = std::make_shared<int>(0);
    const auto t = r.spawn([](latch l, std::shared_ptr<int>) { return l.wait(); }(latch{}, life));
    r.run_until_idle();
    r.destroy_coroutines();
    CHECK_FALSE(t.done());
    CHECK(life.use_count() == 1);
}
