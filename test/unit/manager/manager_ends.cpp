// How a manager and its parts end: what counts as a failure, and what comes too late.
#include "manager_fixture.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <functional>
#include <stdexcept>

using namespace manager_test;

namespace {

reconciled nothing(const typed_object<config_map>&, reconcile_context&) { co_return action::done(); }

/// Ignores its cancellation.
ended wait_despite_cancellation(const latch& over)
{
    co_await finish_despite_cancellation();
    while (!over.settled()) {
        (void)co_await catch_failure(over.wait());
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    }
    co_return result<>{};
}

} // namespace

TEST_CASE("manager: without a grace period a stop cancels everything, and that is no failure", "[manager]")
{
    world w({.grace = 0s});
    w.m->control<config_map>(nothing);
    bool patient_ended = false;
    w.m->run("patient", [&](latch) -> ended {
        (void)co_await sleep_for(w.run.clock(), 1h);
        patient_ended = true;
        co_return result<>{};
    });
    w.begin();
    const auto before = w.run.clock().now();
    CHECK(w.run.run(w.m->stop()));
    CHECK(w.run.clock().now() == before);
    CHECK(patient_ended);
    CHECK(w.log.count("did not end in time") == 0);
}

TEST_CASE("manager: what is added when it stops never runs, which is said, and its handle is of use", "[manager]")
{
    world w;
    latch go;
    w.m->run("slow", [&](latch stop) -> ended {
        (void)co_await stop.wait();
        co_return co_await go.wait();
    });
    w.begin();
    w.m->request_stop();
    w.run.advance(1s);
    bool ran = false;
    const auto late = w.m->run("late", [&]() -> ended {
        ran = true;
        co_return result<>{};
    });
    const auto controlled = w.m->control<config_map>(nothing);
    CHECK(w.log.count("the manager stops: a part that was added does not run part=late") == 1);
    CHECK(w.log.count("the manager stops: a part that was added does not run part=configmaps") == 1);
    go.settle({});
    w.run.advance(1s);
    REQUIRE(w.running->done());
    CHECK(w.running->outcome());
    CHECK_FALSE(ran);
    const auto after = w.m->run("after", [&]() -> ended {
        ran = true;
        co_return result<>{};
    });
    w.run.advance(1s);
    CHECK_FALSE(ran);
    for (const auto& part : {late, managed(controlled), after}) CHECK(w.run.run(part.removed()));
}

TEST_CASE("manager: what ignores its cancellation is named when the stop takes longer than the grace period",
          "[manager]")
{
    world w({.grace = 10s});
    latch over;
    auto maps = w.m->informer<config_map>();
    (void)maps.add_event_handler({.on_add = [&](added<config_map>) -> asio::awaitable<void> {
        (void)co_await wait_despite_cancellation(over);
    }});
    w.put("one");
    w.begin();
    w.m->request_stop();
    w.run.advance(10s);
    CHECK(w.log.count("the stop takes longer") == 0);
    w.run.advance(2s);
    CHECK(w.log.count("the stop takes longer than the grace period running=\"informer of configmaps\"") == 1);
    CHECK_FALSE(w.running->done());
    over.settle({});
    w.run.advance(1s);
    CHECK(w.running->done());
}

TEST_CASE("manager: a part that holds up the stop is named, and neither informers nor the check of the rights",
          "[manager]")
{
    world w({.grace = 10s});
    w.faults->add({.what = kt::fault::refuse(), .target = "selfsubjectaccessreviews", .times = 0});
    for (int n = 0; n < 12; ++n) (void)w.m->informer<config_map>({.namespaces = {"n" + std::to_string(n)}});
    latch over;
    w.m->run("manager", [&](latch) { return wait_despite_cancellation(over); });
    w.begin();
    w.m->request_stop();
    w.run.advance(12s);
    CHECK(w.log.count("the stop takes longer than the grace period running=manager") == 1);
    over.settle({});
    w.run.advance(1s);
    CHECK(w.running->done());
}

TEST_CASE("manager: events that hold up the stop are named", "[manager]")
{
    world w({.grace = 1s});
    w.faults->add({.what = kt::fault::no_answer(), .target = "events", .times = 0});
    w.m->control<config_map>([&w](const typed_object<config_map>& m, reconcile_context&) -> reconciled {
        w.m->events().event(m.untyped(), event_type::normal, "Seen", "Look", "a config map");
        co_return action::done();
    });
    w.put("one");
    w.begin();
    w.m->request_stop();
    w.run.advance(3s);
    CHECK(w.log.count("the stop takes longer than the grace period running=\"events that have yet to be sent\"") == 1);
    w.run.advance(1min);
    CHECK(w.running->done());
}

TEST_CASE("manager: when a part fails and another does not end, the failure is the outcome, and the other is logged",
          "[manager]")
{
    world w({.grace = 10s});
    latch fail;
    w.m->run("poller", [&](latch) -> ended {
        (void)co_await fail.wait();
        co_return failure(cond::unreachable, "not feeling like that");
    });
    w.m->run("stubborn", [&](latch) -> ended { return sleep_for(w.run.clock(), 1h); });
    w.begin();
    fail.settle({});
    w.run.advance(11s);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error() == cond::unreachable);
    CHECK(w.running->outcome().error().describe().find("poller failed") != std::string::npos);
    CHECK(w.log.count("a part did not end in time and is cancelled part=stubborn") == 1);
}

TEST_CASE("manager: a function that throws before it has made its coroutine fails with its reason", "[manager]")
{
    const std::function<ended()> throws = []() -> ended { throw std::runtime_error("no luck"); };
    for (const auto& f : {throws, std::function<ended()>()}) {
        world w;
        w.m->run("poller", f);
        w.begin();
        REQUIRE(w.running->done());
        REQUIRE_FALSE(w.running->outcome());
        CHECK(w.running->outcome().error() == cond::internal);
        CHECK(w.log.count("a part of the manager failed part=poller") == 1);
        if (f) CHECK(w.running->outcome().error().describe().find("no luck") != std::string::npos);
    }
}

TEST_CASE("manager: a part that ends by its cancellation has not failed", "[manager]")
{
    world w;
    w.m->run("sleeper", [&]() -> ended { return sleep_for(w.run.clock(), 1h); });
    w.m->run("says so", [&](latch stop) -> ended {
        (void)co_await stop.wait();
        co_return failure(cond::cancelled, "as it was asked to");
    });
    w.begin();
    CHECK(w.run.run(w.m->stop()));
    CHECK(w.log.count("cancelled") == 0);
    CHECK(w.log.count("failed") == 0);
}

TEST_CASE("manager: a failure while it stops is its outcome", "[manager]")
{
    world w;
    w.m->run("poller", [&](latch stop) -> ended {
        (void)co_await stop.wait();
        co_return failure(cond::corrupt, "the file was not written");
    });
    w.begin();
    const auto stopped = w.run.run(w.m->stop());
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error() == cond::corrupt);
    CHECK(stopped.error().describe().find("poller did not end well") != std::string::npos);
}

TEST_CASE("manager: controllers of one name get numbers, and so series of their own", "[manager]")
{
    const auto sink = std::make_shared<kt::recording_metrics>();
    world w({.metrics = sink});
    const auto first = w.m->control<config_map>(nothing, {.name = "janitor"});
    const auto second = w.m->control<config_map>(nothing, {.name = "janitor"});
    CHECK(first.name() == "janitor");
    CHECK(second.name() == "janitor-2");
    w.put("one");
    w.begin();
    for (const auto* name : {"janitor", "janitor-2"})
        CHECK(sink->value("controller_runtime_reconcile_total", {{"controller", name}, {"result", "success"}}) == 1);
}

TEST_CASE("manager: a thousand parts may have one name", "[manager]")
{
    world w;
    managed last;
    for (int n = 0; n < 1'000; ++n) last = w.m->run("part", []() -> ended { co_return result<>{}; });
    CHECK(last.name() == "part-1000");
}

TEST_CASE("manager: what it was made of is passed on, to its controllers too", "[manager]")
{
    const auto sink = std::make_shared<kt::recording_metrics>();
    world w({.namespaces = {"default"}, .metrics = sink});
    CHECK(w.m->client().server() == w.cluster.server());
    CHECK(w.m->metrics() == sink);
    CHECK(w.m->time().get() == w.run.shared_clock().get());
    CHECK(w.m->executor() == w.cluster.executor());
    CHECK(w.m->namespaces() == lines{"default"});
    w.m->control<config_map>(
        [](const typed_object<config_map>&, reconcile_context&) -> reconciled { co_return failure(cond::conflict); },
        {.running = {.limiter = exponential_limiter(1min, 1min)}});
    w.put("one");
    w.begin();
    CHECK(w.log.count("a run failed controller=configmaps object=default/one attempt=1") == 1);
    w.run.advance(1min);
    CHECK(w.log.count("a run failed controller=configmaps object=default/one attempt=2") == 1);
    CHECK(sink->value("controller_runtime_reconcile_errors_total", {{"controller", "configmaps"}}) == 2);
}

TEST_CASE("manager: a controller without a reconciler ends it, and is named", "[manager]")
{
    world w;
    w.m->control(config_map::resource(), reconciler());
    w.begin();
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error() == cond::misconfigured);
    CHECK(w.running->outcome().error().describe().find("controller configmaps has no reconciler") != std::string::npos);
}

TEST_CASE("manager: parts of the same stage end together, in the time of the slowest", "[manager]")
{
    world w;
    int over = 0;
    for (int n = 0; n < 10; ++n)
        w.m->run("part", [&w, &over, n](latch stop) -> ended {
            (void)co_await stop.wait();
            (void)co_await sleep_for(w.run.clock(), std::chrono::seconds{n});
            ++over;
            co_return result<>{};
        });
    w.begin();
    const auto before = w.run.clock().now();
    CHECK(w.run.run(w.m->stop()));
    CHECK(over == 10);
    CHECK(w.run.clock().now() - before == 9s);
}

TEST_CASE("manager: a second start is the first, and any number may wait for the end", "[manager]")
{
    world w;
    int started = 0;
    w.m->run("sleeper", [&]() -> ended {
        ++started;
        return sleep_for(w.run.clock(), 1h);
    });
    w.begin();
    w.m->start();
    const auto again = w.run.spawn(w.m->run());
    w.run.advance(1s);
    CHECK(started == 1);
    CHECK(w.log.count("info starting") == 1);
    CHECK_FALSE(again.done());
    CHECK(w.run.run(w.m->stop()));
    w.run.run_until_idle();
    REQUIRE(again.done());
    CHECK(again.outcome());
    REQUIRE(w.running->done());
    CHECK(w.running->outcome());
}

namespace {

/// Awaits the informers, and then sleeps for ever: only the throw of a co_await ends it.
ended poll_for_ever(manager& m, time_source& time, unsigned& rounds)
{
    if (const auto synced = co_await m.informers().has_synced(); !synced) co_return synced;
    for (;; ++rounds) (void)co_await sleep_for(time, 10s);
}

} // namespace

TEST_CASE("manager: a part that has awaited the informers ends with the stop", "[manager]")
{
    world w({.grace = 20s});
    (void)w.m->informer<config_map>();
    unsigned rounds = 0;
    w.m->run("poller", [&] { return poll_for_ever(*w.m, w.run.clock(), rounds); });
    w.begin();
    w.run.advance(15s);
    CHECK(rounds == 1);
    w.m->request_stop();
    w.run.advance(21s);
    REQUIRE(w.running->done());
    CHECK(w.running->outcome());
    CHECK(rounds < 4);
}

TEST_CASE("manager: a run that has awaited the informers does not hold up a stop at once, nor do later ones",
          "[manager]")
{
    world w({.grace = 0s});
    unsigned runs = 0;
    w.m->control<config_map>([&](const typed_object<config_map>&, reconcile_context&) -> reconciled {
        (void)co_await w.m->informers().has_synced();
        if (++runs == 1) co_return action::requeue_after(1s);
        for (;;) { // only the throw of a co_await ends it
            (void)co_await sleep_for(w.run.clock(), 1h);
        }
    });
    w.put("one");
    w.begin();
    w.run.advance(5s);
    REQUIRE(runs == 2);
    const auto before = w.run.clock().now();
    (void)w.run.run(w.m->stop()); // fails with the key of the run that was cancelled
    CHECK(w.run.clock().now() == before);
}
