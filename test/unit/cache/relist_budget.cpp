// Tests of the relist budget, and of two hundred informers whose server restarts.

#include "reflector/relist_budget_core.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/cache/relist_budget.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <set>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

TEST_CASE("relist budget: at most at_once turns at a time, first come, first served", "[cache][budget]")
{
    relist_budget_core c(2, 0s);
    const time_point now{1h};
    std::vector<std::uint64_t> asked;
    for (int i = 0; i < 5; ++i) asked.push_back(c.ask(now));
    using tickets = std::vector<std::uint64_t>;
    CHECK(c.take_granted() == tickets{asked[0], asked[1]});
    CHECK(c.waiting() == 3);
    c.leave(asked[1], now);
    CHECK(c.take_granted() == tickets{asked[2]});
    c.leave(asked[3], now); // gives up its place
    CHECK(c.take_granted().empty());
    c.leave(asked[0], now);
    CHECK(c.take_granted() == tickets{asked[4]});
    c.leave(asked[0], now); // a second time has no effect
    CHECK(c.running() == 2);
    CHECK_FALSE(c.expires());
}

TEST_CASE("relist budget: without a bound no caller waits; a turn that lasts too long no longer counts",
          "[cache][budget]")
{
    relist_budget_core any(0, 0s);
    for (int i = 0; i < 100; ++i) (void)any.ask(time_point{});
    CHECK(any.take_granted().size() == 100);

    relist_budget_core c(1, 30s);
    const time_point now{1h};
    const auto slow = c.ask(now);
    CHECK_FALSE(c.expires()); // no caller waits
    const auto next = c.ask(now + 1s);
    REQUIRE(c.expires());
    CHECK(*c.expires() == now + 30s);
    c.tick(now + 29s);
    CHECK(c.take_granted() == std::vector{slow});
    c.tick(now + 30s);
    CHECK(c.take_granted() == std::vector{next});
    c.leave(slow, now + 31s);
    CHECK(c.running() == 1);
}

TEST_CASE("relist budget: random requests against a naive queue", "[cache][budget][model]")
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::size_t at_once = 1 + random() % 4;
        relist_budget_core c(at_once, 0s);
        std::deque<std::uint64_t> waiting;
        std::set<std::uint64_t> running;
        for (int step = 0; step < 100; ++step) {
            if (random() % 2 == 0) {
                waiting.push_back(c.ask(time_point{}));
            } else if (random() % 3 == 0 && !waiting.empty()) {
                const auto who = waiting[random() % waiting.size()];
                c.leave(who, time_point{});
                std::erase(waiting, who);
            } else if (!running.empty()) {
                const auto who = *running.begin();
                c.leave(who, time_point{});
                running.erase(who);
            }
            for (const auto t : c.take_granted()) {
                REQUIRE_FALSE(waiting.empty());
                REQUIRE(t == waiting.front());
                waiting.pop_front();
                running.insert(t);
            }
            REQUIRE(c.running() == running.size());
            REQUIRE(c.waiting() == waiting.size());
            REQUIRE(running.size() <= at_once);
            REQUIRE((waiting.empty() || running.size() == at_once));
        }
    }
}

namespace {

asio::awaitable<result<>> hold(relist_budget budget, kubecoro::time_source& time, duration how_long, int& holders,
                               int& most)
{
    auto turn = co_await budget.take();
    if (!turn) co_return turn.error();
    most = std::max(most, ++holders);
    const auto slept = co_await sleep_for(time, how_long);
    --holders;
    co_return slept;
}

} // namespace

TEST_CASE("relist budget: every kind of cancellation gives up the place in the queue", "[cache][budget]")
{
    for (const auto how :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        kt::runner run;
        const relist_budget budget(1, 0s, run.shared_clock());
        const auto first = run.run(budget.take());
        REQUIRE(first);
        const auto second = run.spawn(budget.take());
        run.run_until_idle();
        CHECK(budget.waiting() == 1);
        second.cancel(how);
        run.run_until_idle();
        REQUIRE(second.done());
        CHECK(second.outcome().error() == cond::cancelled);
        CHECK(budget.waiting() == 0);
    }
}

TEST_CASE("relist budget: every kind of cancellation ends the pause before a turn, which goes to the next",
          "[cache][budget]")
{
    for (const auto how :
         {asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total}) {
        kt::runner run;
        const relist_budget budget(1, 10h, run.shared_clock());
        const auto first = run.spawn(budget.take());
        const auto second = run.spawn(budget.take());
        run.run_until_idle();
        CHECK(budget.running() == 1);
        CHECK(budget.waiting() == 1);
        first.cancel(how);
        run.run_until_idle();
        REQUIRE(first.done());
        CHECK(first.outcome().error() == cond::cancelled);
        CHECK_FALSE(second.done());
        CHECK(budget.running() == 1);
        CHECK(budget.waiting() == 0);
        second.cancel(how);
        run.run_until_idle();
        REQUIRE(second.done());
        CHECK(budget.running() == 0);
        CHECK(run.clock().waiting() == 0);
    }
}

TEST_CASE("relist budget: programs that lost the same server together do not return together", "[cache][budget]")
{
    kt::runner run;
    const auto delay_of = [&run](std::optional<std::uint64_t> seed) {
        const relist_budget budget(8, 10h, run.shared_clock(), seed);
        const auto begun = run.clock().now();
        REQUIRE(run.run(budget.take()));
        return run.clock().now() - begun;
    };
    CHECK(delay_of({}) != delay_of({}));
    CHECK(delay_of(7) == delay_of(7));
}

TEST_CASE("relist budget: a turn is always given back, and a cancelled wait takes none", "[cache][budget]")
{
    kt::runner run;
    const relist_budget budget(2, 200ms, run.shared_clock());
    int holders = 0;
    int most = 0;
    std::vector<kt::task<void>> tasks;
    for (int i = 0; i < 10; ++i) tasks.push_back(run.spawn(hold(budget, run.clock(), 10s, holders, most)));
    run.advance(1s);
    CHECK(holders == 2);
    CHECK(budget.running() == 2);
    CHECK(budget.waiting() == 8);
    tasks[0].cancel(); // holds a turn
    tasks[5].cancel(); // waits for a turn
    run.advance(1s);
    CHECK(tasks[0].outcome().error() == cond::cancelled);
    CHECK(tasks[5].outcome().error() == cond::cancelled);
    CHECK(holders == 2);
    CHECK(budget.waiting() == 6);
    run.advance(10min);
    for (const auto& t : tasks) CHECK(t.done());
    CHECK(most == 2);
    CHECK(budget.running() == 0);
}

TEST_CASE("relist budget: a hanging turn delays the others for a limited time", "[cache][budget]")
{
    kt::runner run;
    const relist_budget budget(1, 0s, run.shared_clock());
    int holders = 0;
    int most = 0;
    auto slow = run.spawn(hold(budget, run.clock(), 1h, holders, most));
    run.run_until_idle();
    auto quick = run.spawn(hold(budget, run.clock(), 1s, holders, most));
    run.advance(29s);
    CHECK(holders == 1);
    run.advance(3s);
    CHECK(quick.done());
    CHECK(most == 2);
    run.advance(1h);
    CHECK(slow.done());
}

namespace {

/// A server that needs a second for each list, and can be restarted.
struct slow_server
{
    std::shared_ptr<kubecoro::time_source> time;
    latch end_of_watches;
    bool down = false;
    int listing = 0;
    int most = 0;
    int lists = 0;
    int version = 5;
};

class slow_source final : public list_watch_source
{
public:
    explicit slow_source(slow_server& s) : server_(s) {}

    asio::awaitable<result<list_page>> list(list_options) override
    {
        if (server_.down) co_return failure(cond::unreachable, "connection refused");
        ++server_.lists;
        server_.most = std::max(server_.most, ++server_.listing);
        const auto slept = co_await sleep_for(*server_.time, 1s);
        --server_.listing;
        if (!slept) co_return slept.error();
        co_return kt::make_page({kt::make_pod("web", "a", "1")}, std::to_string(server_.version));
    }
    asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options) override
    {
        co_return std::make_unique<stream>(server_);
    }
    std::string describe() const override { return "pods of a slow server"; }

private:
    class stream final : public watch_stream
    {
    public:
        explicit stream(const slow_server& s) : end_(s.end_of_watches) {}
        asio::awaitable<result<std::vector<watch_event>>> next() override
        {
            const auto ended = co_await end_.wait();
            if (!ended) co_return ended.error();
            std::vector<watch_event> batch;
            batch.push_back(kt::error_event(410, "Expired"));
            co_return batch;
        }

    private:
        latch end_;
    };
    slow_server& server_;
};

class slow_provider final : public source_provider
{
public:
    slow_provider(asio::any_io_executor e, slow_server& s) : executor_(std::move(e)), server_(s) {}
    std::shared_ptr<list_watch_source> open(const resource_type&, const source_scope&) override
    {
        return std::make_shared<slow_source>(server_);
    }
    asio::any_io_executor executor() const override { return executor_; }

private:
    asio::any_io_executor executor_;
    slow_server& server_;
};

} // namespace

TEST_CASE("relist budget: 200 informers start at once, and relist a few at a time after a restart",
          "[cache][budget][informer]")
{
    kt::runner run;
    slow_server server{.time = run.shared_clock(), .end_of_watches = {}};
    factory_options options;
    options.time = run.shared_clock();
    options.seed = 5;
    options.relists.emplace(4, 200ms, run.shared_clock());
    const relist_budget budget = *options.relists;
    informer_factory informers(std::make_shared<slow_provider>(run.executor(), server), options);
    std::vector<shared_informer<object>> all;
    for (int i = 0; i < 200; ++i)
        all.push_back(informers.get<untyped::pod>({.label_selector = "n=" + std::to_string(i)}));
    informers.start();
    run.advance(2s);
    CHECK(std::all_of(all.begin(), all.end(), [](const auto& i) { return i.synced(); }));
    CHECK(server.most == 200);

    server.most = server.lists = 0;
    server.down = true;
    ++server.version;
    std::exchange(server.end_of_watches, {}).settle({});
    run.advance(20s);
    server.down = false;
    run.advance(5s);
    const auto queued = [](const auto& i) { return i.state() == informer_state::queued; };
    CHECK(std::count_if(all.begin(), all.end(), queued) > 0);
    CHECK(budget.running() <= 4);
    run.advance(10min);
    CHECK(server.most <= 4);
    CHECK(server.lists == 200);
    for (const auto& i : all) CHECK(i.state() == informer_state::watching);
    CHECK(budget.running() == 0);
    CHECK(budget.waiting() == 0);

    SECTION("a stop in between leaves no waiter behind")
    {
        std::exchange(server.end_of_watches, {}).settle({});
        run.advance(3s);
        CHECK(budget.running() > 0);
    }
    REQUIRE(run.run(informers.stop()));
    run.run_until_idle();
    CHECK(budget.running() == 0);
    CHECK(budget.waiting() == 0);
}
