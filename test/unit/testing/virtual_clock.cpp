#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace asio = boost::asio;
using kubecoro::cond;
using kubecoro::duration;
using kubecoro::result;
using kubecoro::testing::runner;
using kubecoro::testing::virtual_clock;
using namespace std::chrono_literals;

namespace {

asio::awaitable<result<>> note_after(virtual_clock& clock, duration d, std::string name, std::vector<std::string>& out)
{
    const auto slept = co_await kubecoro::sleep_for(clock, d);
    out.push_back(slept ? name : "cancelled " + name);
    co_return slept;
}

} // namespace

TEST_CASE("virtual clock: starts at the same time and advances only when advanced", "[testing][clock]")
{
    virtual_clock a;
    const virtual_clock b;
    CHECK(a.now() == b.now());
    CHECK(a.wall_now() == b.wall_now());
    CHECK(a.wall_now() == std::chrono::sys_days{std::chrono::year{2026} / 1 / 1});
    const auto before = a.now();
    a.advance(90s);
    CHECK(a.now() - before == 90s);
    CHECK(a.wall_now() - b.wall_now() == 90s);
    a.advance_to(before);
    CHECK(a.now() - before == 90s);
    a.shift_wall(-2h);
    CHECK(a.wall_now() - b.wall_now() == 90s - 2h);
    CHECK(a.now() - before == 90s);
    CHECK_FALSE(a.next_event());
}

TEST_CASE("virtual clock: timers fire in order of time, then of creation", "[testing][clock]")
{
    runner r;
    std::vector<std::string> order;
    r.spawn(note_after(r.clock(), 3s, "c", order));
    r.spawn(note_after(r.clock(), 1s, "a", order));
    r.spawn(note_after(r.clock(), 1s, "b", order));
    r.spawn(note_after(r.clock(), 0s, "now", order));
    r.run_until_idle();
    CHECK(order == std::vector<std::string>{"now"});
    CHECK(r.clock().waiting() == 3);
    REQUIRE(r.clock().next_event());
    CHECK(*r.clock().next_event() == r.clock().now() + 1s);
    r.clock().advance(5s);
    CHECK(order.size() == 1); // never inside advance
    r.run_until_idle();
    CHECK(order == std::vector<std::string>{"now", "a", "b", "c"});
    CHECK(r.clock().waiting() == 0);
}

TEST_CASE("virtual clock: cancel, a new expiry and cancellation end the wait", "[testing][clock]")
{
    runner r;
    const auto timer = r.clock().make_timer(r.executor());
    timer->expires_at(r.clock().now() + 1h);
    const auto waiting = r.spawn(timer->wait());
    r.run_until_idle();
    REQUIRE_FALSE(waiting.done());
    SECTION("cancel") { timer->cancel(); }
    SECTION("expires_at") { timer->expires_at(r.clock().now() + 2h); }
    SECTION("cancellation") { waiting.cancel(); }
    r.run_until_idle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::cancelled);
    CHECK(r.clock().waiting() == 0);
}

TEST_CASE("virtual clock: a timer that is not set or has expired completes at once", "[testing][clock]")
{
    runner r;
    const auto timer = r.clock().make_timer(r.executor());
    CHECK(r.run(timer->wait()).has_value());
    timer->expires_at(r.clock().now());
    CHECK(r.run(timer->wait()).has_value());
}

TEST_CASE("virtual clock: timers may outlive the clock", "[testing][clock]")
{
    runner r;
    std::unique_ptr<kubecoro::timer> timer;
    {
        virtual_clock short_lived;
        timer = short_lived.make_timer(r.executor());
        timer->expires_at(short_lived.now() + 1s);
    }
    const auto waiting = r.spawn(timer->wait());
    r.run_until_idle();
    CHECK_FALSE(waiting.done());
    timer->cancel();
    r.run_until_idle();
    CHECK(waiting.done());
}
