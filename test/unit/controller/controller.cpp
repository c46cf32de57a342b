// The controller as a whole: sources, runs, and the effect of a run's outcome.
#include "controller_fixture.hpp"

#include <stdexcept>

using namespace controller_test;

TEST_CASE("controller: waits for the first list, then runs its objects and later events", "[controller]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")});
    auto& c = f.make_noting();
    auto source = c.watch(pods, enqueue_object());
    CHECK(c.stats().phase == controller_phase::created);
    c.start();
    f.settle();
    CHECK(c.stats().phase == controller_phase::syncing);
    CHECK(f.take().empty());
    f.begin();
    CHECK(c.stats().phase == controller_phase::running);
    CHECK(f.take_sorted() == lines{"web/a", "web/b"});
    watch.send({kt::added(kt::make_pod("web", "c", "11")), kt::modified(kt::make_pod("web", "a", "12")),
                kt::deleted(kt::make_pod("web", "b", "13"))});
    f.settle();
    CHECK(f.take_sorted() == lines{"web/a", "web/b", "web/c"});
    CHECK(source.stats().state == source_state::synced);
    CHECK(source.stats().events == 5);
    c.trigger({"by", "hand"});
    f.settle();
    CHECK(f.take() == lines{"by/hand"});

    CHECK(f.run.run(c.stop()).has_value());
    CHECK(c.stats().phase == controller_phase::stopped);
    CHECK(c.stats().succeeded == 6);
    CHECK(f.number("controller_runtime_reconcile_total", {{"result", "success"}}) == 6);
    CHECK(f.number("controller_runtime_max_concurrent_reconciles") == 1);
    CHECK(f.number("controller_runtime_active_workers") == 0);
    CHECK(f.numbers->updates("controller_runtime_reconcile_time_seconds") == 6);
    CHECK_FALSE(c.describe().empty());
}

TEST_CASE("controller: failures are retried after the key's own backoff, and success resets it", "[controller]")
{
    fixture f;
    std::vector<unsigned> attempts;
    auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
        attempts.push_back(context.attempt());
        context.log().info("running");
        if (attempts.size() % 4 != 0) return failure(cond::conflict, "once more");
        return action::done();
    }));
    f.subject->start();
    REQUIRE(f.run.run(c.ready()));
    c.trigger({"web", "a"});
    f.settle();
    CHECK(attempts == std::vector<unsigned>{1});
    f.run.advance(5ms);
    f.run.advance(10ms);
    CHECK(attempts == std::vector<unsigned>{1, 2, 3});
    f.run.advance(1h);
    CHECK(attempts == std::vector<unsigned>{1, 2, 3, 4});
    c.trigger({"web", "a"});
    f.settle();
    CHECK(attempts.back() == 1);
    CHECK(c.stats().failed == 4);
    CHECK(f.number("controller_runtime_reconcile_errors_total") == 4);
    CHECK(f.number("controller_runtime_reconcile_total", {{"result", "error"}}) == 4);
    CHECK(f.log.count("running controller=subject object=web/a") == 5);
    CHECK(f.log.count("a run failed controller=subject object=web/a attempt=1") == 2);
}

TEST_CASE("controller: terminal failures are counted and not retried", "[controller]")
{
    fixture f;
    int runs = 0;
    auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
        ++runs;
        CHECK(context.attempt() == 1);
        return terminal(failure(cond::invalid, "never"));
    }));
    c.start();
    c.trigger({"web", "a"});
    REQUIRE(f.run.run(c.ready()));
    f.run.advance(24h);
    CHECK(runs == 1);
    CHECK(c.stats().terminal == 1);
    CHECK(c.stats().queue.keys == 0);
    CHECK(f.number("controller_runtime_terminal_reconcile_errors_total") == 1);
    CHECK(f.number("controller_runtime_reconcile_errors_total") == 1);
    CHECK(f.log.count("not retried") == 1);
}

TEST_CASE("controller: an exception is a failure of that run alone", "[controller]")
{
    fixture f;
    int calls = 0;
    auto& c = f.make([&](const object_key& key, reconcile_context&) -> run_task {
        if (++calls == 1) throw std::runtime_error("before the coroutine");
        return [](fixture& of, object_key k, int n) -> run_task {
            if (n == 2) throw std::logic_error("inside");
            if (n == 3) throw 3;
            of.seen.push_back(to_string(k));
            co_return action::done();
        }(f, key, calls);
    });
    c.start();
    c.trigger({"web", "a"});
    REQUIRE(f.run.run(c.ready()));
    f.run.advance(1s);
    CHECK(f.take() == lines{"web/a"});
    CHECK(c.stats().threw == 3);
    CHECK(f.number("controller_runtime_reconcile_panics_total") == 3);
    CHECK(f.log.count("before the coroutine") == 1);
}

TEST_CASE("controller: a run can request the next one, and its priority", "[controller]")
{
    fixture f;
    std::vector<int> priorities;
    auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
        priorities.push_back(context.priority());
        if (priorities.size() == 1) return action::requeue_after(1min).with_priority(priority::high);
        if (priorities.size() == 2) return action::requeue_after(1min);
        return action::done();
    }));
    c.start();
    c.trigger({"web", "a"}, priority::low);
    REQUIRE(f.run.run(c.ready()));
    f.run.advance(59s);
    CHECK(priorities.size() == 1);
    f.run.advance(1s);
    f.run.advance(1h);
    CHECK(priorities == std::vector<int>{priority::low, priority::high, priority::high});
    CHECK(c.stats().requeued == 2);
    CHECK(c.stats().succeeded == 3);
    CHECK(f.number("controller_runtime_reconcile_total", {{"result", "requeue_after"}}) == 2);
}

TEST_CASE("controller: initial and unchanged objects are queued behind recent changes", "[controller]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "old", "1")});
    latch hold;
    std::vector<std::pair<std::string, int>> ran;
    auto& c = f.make([&](const object_key& key, reconcile_context& context) -> run_task {
        ran.emplace_back(key.name, context.priority());
        co_await hold.wait();
        co_return action::done();
    });
    c.trigger({"web", "first"}, priority::high);
    c.watch(pods, enqueue_object());
    f.begin();
    watch.send(kt::added(kt::make_pod("web", "new", "11")));
    f.settle();
    hold.settle({});
    f.settle();
    CHECK(ran == std::vector<std::pair<std::string, int>>{
                     {"first", priority::high}, {"new", priority::normal}, {"old", priority::low}});
}

TEST_CASE("controller: at most one run per worker and one per key at a time", "[controller]")
{
    fixture f;
    latch hold;
    std::size_t active = 0;
    std::size_t most = 0;
    std::map<std::string, int> per_key;
    auto& c = f.make(
        [&](const object_key& key, reconcile_context&) -> run_task {
            CHECK(++per_key[key.name] == 1);
            most = std::max(most, ++active);
            co_await hold.wait();
            --active;
            --per_key[key.name];
            co_return action::done();
        },
        {.workers = 3});
    c.start();
    for (const auto* name : {"a", "b", "c", "d", "a"}) c.trigger({"web", name});
    REQUIRE(f.run.run(c.ready()));
    f.settle();
    c.trigger({"web", "a"}); // running: once more afterwards
    f.settle();
    CHECK(active == 3);
    CHECK(c.stats().active == 3);
    CHECK(f.number("controller_runtime_active_workers") == 3);
    hold.settle({});
    f.settle();
    CHECK(most == 3);
    CHECK(c.stats().succeeded == 5);
}

TEST_CASE("controller: waiting keys need no coroutine or timer of their own", "[controller]")
{
    constexpr int keys = 10'000;
    fixture f;
    int running = 0;
    int most = 0;
    latch go;
    auto& c = f.make(
        [&](const object_key&, reconcile_context&) -> run_task {
            return [](latch until, int& now, int& peak) -> run_task {
                peak = std::max(peak, ++now);
                (void)co_await until.wait();
                --now;
                co_return action::requeue_after(1h);
            }(go, running, most);
        },
        {.workers = 3});
    c.start();
    for (int i = 0; i < keys; ++i) c.trigger({"web", "p" + std::to_string(i)});
    REQUIRE(f.run.run(c.ready()));
    f.settle();
    CHECK(running == 3); // keys without a worker have not begun
    CHECK(c.stats().queue.ready == keys - 3);
    go.settle({});
    f.settle();
    CHECK(most == 3);
    CHECK(running == 0);
    CHECK(c.stats().queue.delayed == keys);
    CHECK(f.run.clock().waiting() == 1);
}

TEST_CASE("controller: a run past its deadline is cancelled and retried", "[controller]")
{
    fixture f;
    int runs = 0;
    auto& c = f.make(
        [&](const object_key&, reconcile_context& context) -> run_task {
            REQUIRE(context.deadline());
            CHECK_FALSE(context.is_cancelled());
            if (++runs > 1) co_return action::done();
            const latch never;
            const auto outcome = co_await never.wait();
            CHECK(context.is_cancelled());
            co_return outcome.error();
        },
        {.deadline = 30s});
    c.start();
    c.trigger({"web", "a"});
    REQUIRE(f.run.run(c.ready()));
    f.run.advance(29s);
    CHECK(runs == 1);
    f.run.advance(2s);
    CHECK(runs == 2);
    CHECK(c.stats().timed_out == 1);
    CHECK(c.stats().failed == 1);
    CHECK(f.number("controller_runtime_reconcile_timeouts_total") == 1);
}

TEST_CASE("controller: a limiter that throws loses no key", "[controller]")
{
    struct broken final : rate_limiter
    {
        duration delay(unsigned, time_point) const override { throw std::runtime_error("no delay"); }
    };
    fixture f;
    int runs = 0;
    auto& c = f.make(plain([&](const object_key&, reconcile_context&) -> run_result {
                         if (++runs < 3) return failure(cond::conflict);
                         return action::done();
                     }),
                     {.limiter = std::make_unique<broken>()});
    c.start();
    c.trigger({"web", "a"});
    REQUIRE(f.run.run(c.ready()));
    f.run.advance(10s);
    CHECK(runs == 3);
    CHECK(f.log.count("a rate limiter failed") == 2);
}
