// Stopping a controller, in every state.
#include "controller_fixture.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/every_step.hpp>

using namespace controller_test;

namespace {

/// Waits for a latch that is never settled; records cancellations.
struct waiting_runs
{
    latch never;
    int begun = 0;
    int cancelled = 0;

    reconciler work()
    {
        return [this](const object_key&, reconcile_context& context) -> run_task {
            ++begun;
            const auto outcome = co_await never.wait();
            if (!outcome && context.is_cancelled()) ++cancelled;
            if (!outcome) co_return outcome.error();
            co_return action::done();
        };
    }
};

} // namespace

TEST_CASE("controller: stopped before the start, it never runs", "[controller][shutdown]")
{
    fixture f;
    auto& c = f.make_noting();
    const auto source = c.watch(f.informers->get<pod>(), enqueue_object());
    c.trigger({"web", "a"});
    CHECK(f.run.run(c.stop()).has_value());
    CHECK(f.run.run(c.stop()).has_value());
    CHECK(c.stats().phase == controller_phase::stopped);
    CHECK(f.run.run(c.run()).has_value());
    CHECK(f.run.run(c.ready()).error() == cond::cancelled);
    CHECK(source.stats().state == source_state::over);
    CHECK(f.take().empty());
}

TEST_CASE("controller: stopped while it waits for first lists", "[controller][shutdown]")
{
    fixture f;
    f.source<pod>().on_list_hang();
    auto& c = f.make_noting();
    c.watch(f.informers->get<pod>(), enqueue_object());
    f.informers->start();
    c.start();
    const auto ready = f.run.spawn(c.ready());
    f.settle();
    CHECK(f.run.run(c.stop()).has_value());
    REQUIRE(ready.done());
    CHECK(ready.outcome().error() == cond::cancelled);
}

TEST_CASE("controller: a stop lets runs finish and begins no others", "[controller][shutdown]")
{
    fixture f;
    waiting_runs w;
    auto& c = f.make(w.work(), {.workers = 2});
    c.start();
    for (const auto* name : {"a", "b", "c", "d"}) c.trigger({"web", name});
    REQUIRE(f.run.run(c.ready()));
    f.settle();
    const auto ended = f.run.spawn(c.run());
    const auto stopped = f.run.spawn(c.stop());
    f.run.advance(19s);
    CHECK(w.begun == 2);
    CHECK_FALSE(stopped.done());
    CHECK(c.stats().phase == controller_phase::stopping);
    w.never.settle({});
    f.settle();
    REQUIRE(stopped.done());
    CHECK(stopped.outcome().has_value());
    REQUIRE(ended.done());
    CHECK(ended.outcome().has_value());
    CHECK(w.begun == 2);
    CHECK(w.cancelled == 0);
    CHECK(c.stats().queue.processing == 0);
}

TEST_CASE("controller: runs that exceed the grace period are cancelled, awaited and named", "[controller][shutdown]")
{
    fixture f;
    waiting_runs w;
    auto& c = f.make(w.work(), {.workers = 2, .grace = 5s});
    c.start();
    c.trigger({"web", "slow"});
    REQUIRE(f.run.run(c.ready()));
    f.settle();
    const auto stopped = f.run.run(c.stop());
    REQUIRE_FALSE(stopped.has_value());
    CHECK(stopped.error() == cond::timed_out);
    CHECK(stopped.error().message().find("web/slow") != std::string::npos);
    CHECK(w.cancelled == 1);
    CHECK(c.stats().cancelled == 1);
    CHECK(c.stats().failed == 0);
    CHECK(f.log.count("keys=web/slow") == 1);
    CHECK(f.number("controller_runtime_active_workers") == 0);
    CHECK(f.number("controller_runtime_reconcile_errors_total") == 0);
}

TEST_CASE("controller: a run that ignores its cancellation is awaited", "[controller][shutdown]")
{
    fixture f;
    auto& c = f.make(
        [&f](const object_key&, reconcile_context&) -> run_task {
            co_await finish_despite_cancellation();
            (void)co_await sleep_for(f.run.clock(), 20s); // ends at once, cancelled
            (void)co_await sleep_for(f.run.clock(), 20s);
            co_return action::requeue_after(1s);
        },
        {.grace = 0s});
    c.start();
    c.trigger({"web", "stubborn"});
    REQUIRE(f.run.run(c.ready()));
    f.settle();
    const auto stopped = f.run.spawn(c.stop());
    f.run.advance(19s);
    CHECK(c.stats().phase == controller_phase::cancelling);
    CHECK_FALSE(stopped.done());
    f.run.advance(2s);
    REQUIRE(stopped.done());
    CHECK(stopped.outcome().error() == cond::timed_out);
    CHECK(c.stats().requeued == 1);
    CHECK(c.stats().queue.delayed == 0);
}

TEST_CASE("controller: a run can request the stop of its controller", "[controller][shutdown]")
{
    fixture f;
    auto& c = f.make(plain([&f](const object_key&, reconcile_context&) -> run_result {
        f.subject->request_stop();
        return action::done();
    }));
    c.trigger({"web", "a"});
    c.trigger({"web", "b"});
    CHECK(f.run.run(c.run()).has_value());
    CHECK(c.stats().succeeded == 1);
}

TEST_CASE("controller: a waiter may be cancelled, and the controller continues", "[controller][shutdown]")
{
    fixture f;
    auto& c = f.make_noting();
    const auto ended = f.run.spawn(c.run());
    f.settle();
    ended.cancel();
    f.settle();
    REQUIRE(ended.done());
    CHECK(ended.outcome().error() == cond::cancelled);
    c.trigger({"web", "a"});
    f.settle();
    CHECK(f.take() == lines{"web/a"});
}

TEST_CASE("controller: destroyed while running, it logs an error and ends", "[controller][shutdown]")
{
    fixture f;
    waiting_runs w;
    f.make(w.work());
    f.subject->start();
    f.subject->trigger({"web", "a"});
    REQUIRE(f.run.run(f.subject->ready()));
    f.settle();
    CHECK(w.begun == 1);
    f.subject.reset();
    CHECK(f.log.count("await stop() first") == 1);
    f.settle();
    CHECK(w.cancelled == 1);
}

namespace {

/// A whole life cycle with every feature; `w` records what it has seen.
struct world : kubecoro::test::scripted_informers
{
    std::unique_ptr<controller<object>> subject;
    latch first_run;

    explicit world(kt::runner& r) : scripted_informers(r)
    {
        auto& pods = source(pod::resource());
        pods.on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "10"));
        pods.on_watch().send(kt::added(kt::make_pod("web", "c", "11")));
        controller_options o;
        o.workers = 2;
        o.deadline = 3s;
        o.grace = 1s;
        o.time = r.shared_clock();
        subject = std::make_unique<controller<object>>(r.executor(), reconcile(r), std::move(o));
        subject->watch(informers->get<pod>(), enqueue_object());
    }

    reconciler reconcile(kt::runner& r)
    {
        return [this, &r](const object_key& key, reconcile_context& context) -> run_task {
            const auto rested = co_await sleep_for(r.clock(), key.name == "b" ? 10s : 1s);
            if (!rested) co_return rested.error();
            first_run.settle({});
            context.wrote(kt::make_pod("web", "never", "99"));
            if (context.attempt() == 1) co_return failure(cond::conflict);
            co_return action::requeue_after(1s);
        };
    }
};

asio::awaitable<result<>> life(std::shared_ptr<world> w)
{
    w->informers->start();
    w->subject->start();
    auto outcome = co_await w->subject->ready();
    if (outcome) outcome = co_await w->first_run.wait();
    (void)co_await w->subject->stop();
    (void)co_await w->informers->stop();
    co_return outcome;
}

kt::scenario make_life(kt::runner& r)
{
    auto w = std::make_shared<world>(r);
    return {.body = life(w), .fixture = w};
}

/// However the life cycle ended, the rest of the world can be shut down.
asio::awaitable<result<>> wind_up(std::shared_ptr<world> w)
{
    (void)co_await w->subject->stop();
    co_return co_await w->informers->stop();
}

} // namespace

TEST_CASE("controller: destroyed after every step", "[controller][steps]")
{
    const auto attempts = kt::stop_after_every_step(make_life);
    REQUIRE(attempts.has_value());
    CHECK(*attempts > 20);
}

TEST_CASE("controller: with its user cancelled after every step, it can always be stopped", "[controller][steps]")
{
    for (std::size_t steps = 0;; ++steps) {
        kt::runner r;
        auto w = std::make_shared<world>(r);
        const auto living = r.spawn(life(w));
        r.step(steps);
        const bool ended = living.done();
        living.cancel();
        const auto wound_up = r.run(wind_up(w));
        CHECK(wound_up.has_value());
        r.run_until_idle();
        CHECK(living.done());
        CHECK(w->subject->stats().phase == controller_phase::stopped);
        CHECK(r.clock().waiting() == 0);
        if (ended) break;
        REQUIRE(steps < 10'000);
    }
}
