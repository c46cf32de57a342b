// The effect of outcomes, limits and names that controller-runtime's tests of its controller ask about.
#include "controller_fixture.hpp"

#include <stdexcept>

using namespace controller_test;

namespace {

/// Waits until it is cancelled.
reconciler waits_for_ever(latch never)
{
    return [never](const object_key&, reconcile_context&) -> run_task {
        const auto outcome = co_await never.wait();
        co_return outcome.error();
    };
}

} // namespace

TEST_CASE("controller: a failed run is retried with its priority", "[controller][outcomes]")
{
    fixture f;
    std::vector<int> priorities;
    auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
        priorities.push_back(context.priority());
        if (priorities.size() == 1) return failure(cond::conflict);
        if (priorities.size() == 2) throw std::runtime_error("no luck");
        return action::done();
    }));
    c.start();
    c.trigger({"web", "a"}, 10);
    REQUIRE(f.run.run(c.ready()));
    f.run.advance(1s);
    CHECK(priorities == std::vector<int>{10, 10, 10});
}

TEST_CASE("controller: a run requested after no time, or less, follows at once, behind what waits",
          "[controller][outcomes]")
{
    for (const auto after : {0s, -5s}) {
        fixture f;
        bool asked = false;
        auto& c = f.make(plain([&](const object_key& key, reconcile_context&) -> run_result {
            f.seen.push_back(to_string(key));
            if (key.name == "a" && !std::exchange(asked, true)) return action::requeue_after(after);
            return action::done();
        }));
        c.trigger({"web", "a"});
        c.trigger({"web", "b"});
        c.start();
        REQUIRE(f.run.run(c.ready()));
        f.settle(); // no time passes
        CHECK(f.take() == lines{"web/a", "web/b", "web/a"});
        CHECK(c.stats().queue.delayed == 0);
    }
}

TEST_CASE("controller: a requested run ends the failures of its key, and has no backoff", "[controller][outcomes]")
{
    fixture f;
    std::vector<unsigned> attempts;
    auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
        attempts.push_back(context.attempt());
        if (attempts.size() == 3) return action::requeue_after(1h);
        if (attempts.size() < 5) return failure(cond::conflict);
        return action::done();
    }));
    c.start();
    c.trigger({"web", "a"});
    REQUIRE(f.run.run(c.ready()));
    f.run.advance(59min);
    CHECK(attempts == std::vector<unsigned>{1, 2, 3});
    f.run.advance(2min);
    CHECK(attempts == std::vector<unsigned>{1, 2, 3, 1, 2});
}

TEST_CASE("controller: each run past its deadline is counted, and none that is cancelled, fails or ends before",
          "[controller][outcomes]")
{
    fixture f;
    const latch never;
    auto& c = f.make(
        [&](const object_key& key, reconcile_context&) -> run_task {
            if (key.name == "quick") co_return action::done();
            if (key.name == "impatient") co_return failure(cond::timed_out, "a request of the run");
            const auto outcome = co_await never.wait();
            co_return outcome.error();
        },
        {.workers = 5, .deadline = 10s, .limiter = exponential_limiter(1h, 1h), .grace = 0s});
    c.start();
    for (const auto* name : {"quick", "impatient", "one", "two", "three"}) c.trigger({"web", name});
    REQUIRE(f.run.run(c.ready()));
    f.run.advance(9s);
    CHECK(c.stats().timed_out == 0);
    CHECK(c.stats().failed == 1);
    f.run.advance(1s);
    CHECK(c.stats().timed_out == 3);
    CHECK(f.number("controller_runtime_reconcile_timeouts_total") == 3);
    c.trigger({"web", "stopped"});
    f.settle();
    const auto stopped = f.run.run(c.stop());
    REQUIRE_FALSE(stopped);
    CHECK(c.stats().cancelled == 1);
    CHECK(c.stats().timed_out == 3);
}

TEST_CASE("controller: without a deadline a run has none", "[controller][outcomes]")
{
    fixture f;
    bool limited = true;
    auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
        limited = context.deadline().has_value();
        return action::done();
    }));
    c.start();
    c.trigger({"web", "a"});
    REQUIRE(f.run.run(c.ready()));
    f.settle();
    CHECK_FALSE(limited);
}

TEST_CASE("controller: without a name it has no metrics", "[controller][outcomes]")
{
    fixture f;
    controller<object> c(f.run.executor(), waits_for_ever({}),
                         {.metrics = f.numbers, .time = f.run.shared_clock(), .log = f.log.handle()});
    c.start();
    REQUIRE(f.run.run(c.ready()));
    CHECK(f.run.run(c.stop()));
    CHECK(f.numbers->names().empty());
}

TEST_CASE("controller: a second start changes nothing", "[controller][outcomes]")
{
    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1")});
    auto& c = f.make_noting({.workers = 2});
    const auto source = c.watch(pods, enqueue_object());
    c.start();
    c.start();
    f.begin();
    CHECK(f.take() == lines{"web/a"});
    c.start();
    f.settle();
    CHECK(source.stats().events == 1);
    auto tasks = c.tasks();
    std::sort(tasks.begin(), tasks.end());
    CHECK(tasks ==
          lines{"controller subject", "source pods", "worker of controller subject", "worker of controller subject"});
    CHECK(f.run.run(c.stop()));
    c.start();
    f.settle();
    CHECK(c.stats().phase == controller_phase::stopped);
    CHECK(c.tasks().empty());
}

TEST_CASE("controller: the first lists have two minutes by default", "[controller][outcomes]")
{
    fixture f;
    f.source<pod>().on_list_hang();
    auto& c = f.make_noting();
    c.watch(f.informers->get<pod>(), enqueue_object());
    f.informers->start();
    const auto ended = f.run.spawn(c.run());
    f.run.advance(2min - 1s);
    CHECK_FALSE(ended.done());
    f.run.advance(1s);
    REQUIRE(ended.done());
    CHECK(ended.outcome().error() == cond::timed_out);
    CHECK(ended.outcome().error().message() == "no first list from pods");
}

TEST_CASE("controller: without a reconciler, or a map function, it ends at the start and says so",
          "[controller][outcomes]")
{
    fixture f;
    auto& none = f.make({});
    none.trigger({"web", "a"});
    const auto ended = f.run.run(none.run());
    REQUIRE_FALSE(ended);
    CHECK(ended.error() == cond::misconfigured);
    CHECK(ended.error().message() == "controller subject has no reconciler");
    CHECK(none.stats().failed == 0);

    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "1")});
    auto& blind = f.make_noting();
    blind.watch(pods, {});
    const auto refused = f.run.run(blind.run());
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::misconfigured);
    CHECK(refused.error().message() == "controller subject: the source of pods has no map function");
}
