// A manager that elects: the standby is warm, the leader works, and the Lease outlives the work.
#include "manager_fixture.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/catch_failure.hpp>

#include <algorithm>

using namespace manager_test;
using untyped::lease;

namespace {

manager_options as(const std::string& identity)
{
    manager_options o;
    o.name = identity;
    o.leader_election.lease = "janitor";
    o.leader_election.identity = identity;
    o.leader_election.seed = 1;
    return o;
}

std::string holder(world& w)
{
    const auto read = w.run.run(w.cluster.get(lease::resource(), "default", "janitor"));
    return read ? std::string(read->path("spec.holderIdentity").as_string("none")) : "no lease";
}

/// The events about the Lease, in the order of their names: who did it and what.
lines leadership_events(world& w)
{
    const resource_type events{.group = "events.k8s.io", .version = "v1", .plural = "events", .kind = "Event"};
    const auto lease_now = w.run.run(w.cluster.get(lease::resource(), "default", "janitor"));
    const auto stored = w.run.run(w.cluster.list(events, "default"));
    REQUIRE(stored);
    lines out;
    for (const auto& e : stored->items) {
        CHECK(e.path("regarding.kind").as_string() == "Lease");
        CHECK(e.path("regarding.uid").as_string() == lease_now->uid());
        CHECK(e["reason"].as_string() == "LeaderElection");
        out.push_back(std::string(e["reportingController"].as_string()) + ": " + std::string(e["note"].as_string()));
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// Another program writes itself into the Lease.
void steal(world& w)
{
    REQUIRE(w.run.run(w.cluster.patch(lease::resource(), "default", "janitor", patch_kind::merge,
                                      R"({"spec":{"holderIdentity":"thief"}})")));
}

/// The second replica, with a controller and a coroutine.
struct replica
{
    world& w;
    manager m;
    lines seen;
    kt::task<void> running;

    explicit replica(world& on, const std::string& identity) : w(on), m(w.cluster, as(identity)), running(begin()) {}
    ~replica() { (void)w.run.run(m.stop()); }

private:
    kt::task<void> begin()
    {
        m.control<config_map>(janitor{m, seen});
        return w.run.spawn(m.run());
    }
};

} // namespace

TEST_CASE("manager election: one replica leads, the other one waits with filled stores and takes over", "[manager]")
{
    world w(as("first"));
    w.put("one");
    lines seen;
    w.m->control<config_map>(janitor{*w.m, seen});
    w.begin();
    w.run.advance(1s);
    CHECK(holder(w) == "first");
    CHECK(w.log.count("waiting for leadership lease=janitor namespace=default") == 1);
    CHECK(w.m->stats().phase == manager_phase::running);
    CHECK(seen == lines{"one:0"});
    CHECK(w.m->healthy());

    replica second(w, "second");
    w.run.advance(30s);
    CHECK(second.m.stats().phase == manager_phase::standby);
    CHECK(second.m.informers().informers().front().synced());
    CHECK(w.run.run(second.m.ready()));
    CHECK(second.seen.empty());
    CHECK(second.m.stats().parts.front().state == part_state::waiting);
    const auto election = second.m.stats().election;
    REQUIRE(election);
    CHECK(election->leader == "first");
    CHECK(second.m.describe().find("configmaps: waiting") != std::string::npos);

    CHECK(w.run.run(w.m->stop()));
    w.run.advance(1s);
    CHECK(holder(w) == "second");
    CHECK(second.m.stats().phase == manager_phase::running);
    CHECK(second.seen == lines{"one:0"});
}

TEST_CASE("manager election: what needs no leadership runs in the standby", "[manager]")
{
    world w(as("first"));
    w.begin();
    replica second(w, "second");
    int started = 0;
    const auto count = [&]() -> ended {
        ++started;
        return sleep_for(w.run.clock(), 1h);
    };
    second.m.run("everywhere", count, {.needs_leadership = false});
    second.m.run("leader", count);
    w.run.advance(5s);
    CHECK(second.m.stats().phase == manager_phase::standby);
    CHECK(started == 1);
}

TEST_CASE("manager election: a standby that is stopped has never led, and leaves the Lease alone", "[manager]")
{
    world w(as("first"));
    w.put("one");
    w.begin();
    replica second(w, "second");
    int started = 0;
    second.m.run("leader", [&]() -> ended {
        ++started;
        return sleep_for(w.run.clock(), 1h);
    });
    w.run.advance(5s);
    CHECK(second.m.stats().phase == manager_phase::standby);
    CHECK(w.run.run(second.m.stop()));
    CHECK(second.seen.empty());
    CHECK(started == 0);
    CHECK(holder(w) == "first");
    w.run.advance(1min);
    CHECK(holder(w) == "first");
    CHECK(w.m->stats().phase == manager_phase::running);
}

TEST_CASE("manager election: a controller that needs no leadership works in the standby", "[manager]")
{
    world w(as("first"));
    w.put("one");
    w.begin();
    replica second(w, "second");
    lines everywhere;
    second.m.control<config_map>(janitor{second.m, everywhere}, {.name = "everywhere", .needs_leadership = false});
    w.run.advance(5s);
    CHECK(second.m.stats().phase == manager_phase::standby);
    CHECK(everywhere == lines{"one:0"});
    CHECK(second.seen.empty());
}

TEST_CASE("manager election: at a stop the work ends before the Lease is released", "[manager]")
{
    world w(as("first"));
    bool over = false;
    w.m->run("slow", [&](latch stop) -> ended {
        (void)co_await stop.wait();
        (void)co_await sleep_for(w.run.clock(), 20s);
        over = true;
        co_return result<>{};
    });
    bool support = true;
    w.m->run("support",
             [&](latch stop) -> ended {
                 (void)co_await stop.wait();
                 support = false;
                 co_return result<>{};
             },
             {.needs_leadership = false});
    w.begin();
    w.run.advance(1s);
    CHECK(holder(w) == "first");
    w.m->request_stop();
    w.run.advance(19s); // longer than the Lease lasts: it is renewed
    CHECK_FALSE(over);
    CHECK(support);
    CHECK(holder(w) == "first");
    w.run.advance(2s);
    CHECK(over);
    CHECK_FALSE(support);
    CHECK(holder(w).empty());
    REQUIRE(w.running->done());
    CHECK(w.running->outcome().has_value());
}

TEST_CASE("manager election: the events of the Lease say who leads, and who does not any more", "[manager]")
{
    world w(as("first"));
    w.begin();
    w.run.advance(1s);
    CHECK(leadership_events(w) == lines{"subject: first became leader"});
    replica second(w, "second");
    SECTION("after a stop")
    {
        CHECK(w.run.run(w.m->stop()));
        w.run.advance(1s);
        CHECK(leadership_events(w) ==
              lines{"second: second became leader", "subject: first became leader", "subject: first stopped leading"});
    }
    SECTION("after a loss")
    {
        steal(w);
        w.run.advance(3s);
        REQUIRE(w.running->done());
        CHECK(leadership_events(w) == lines{"subject: first became leader", "subject: first stopped leading"});
    }
}

TEST_CASE("manager election: without leadership_events there are none, and no right is needed", "[manager]")
{
    auto o = as("first");
    o.leadership_events = false;
    world w(std::move(o));
    for (const auto& r : w.m->rights()) CHECK(r.resource == "leases");
    w.begin();
    w.run.advance(1s);
    CHECK(holder(w) == "first");
    CHECK(leadership_events(w).empty());
}

TEST_CASE("manager election: a loss cancels the work at once and ends the manager, naming the Lease", "[manager]")
{
    world w(as("first"));
    w.put("one");
    bool run_ended = false, coroutine_ended = false;
    struct on_end
    {
        bool& flag;
        ~on_end() { flag = true; }
    };
    w.m->control<config_map>([&](const typed_object<config_map>&, reconcile_context&) -> reconciled {
        const on_end mark{run_ended};
        (void)co_await sleep_for(w.run.clock(), 1h);
        co_return action::done();
    });
    w.m->run("patient", [&](latch) -> ended {
        const on_end mark{coroutine_ended};
        co_return co_await sleep_for(w.run.clock(), 1h);
    });
    w.begin();
    w.run.advance(1s);
    CHECK(w.m->stats().phase == manager_phase::running);
    steal(w);
    w.run.advance(3s);
    CHECK(run_ended);
    CHECK(coroutine_ended);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error() == cond::conflict);
    CHECK(w.running->outcome().error().message() == "the leadership by Lease default/janitor was lost");
    CHECK(holder(w) == "thief");
    CHECK(w.log.count("a part did not end in time") == 0);
}

TEST_CASE("manager election: after a loss a part that does not end is awaited, and the liveness check fails meanwhile",
          "[manager]")
{
    world w(as("first"));
    w.m->run("stubborn", [&](latch) -> ended {
        co_await finish_despite_cancellation();
        (void)co_await sleep_for(w.run.clock(), 1h); // ends with the loss
        co_return co_await sleep_for(w.run.clock(), 1min);
    });
    w.begin();
    w.run.advance(1s);
    REQUIRE(w.m->stats().phase == manager_phase::running);
    CHECK(w.m->healthy());
    steal(w);
    w.run.advance(20s);
    CHECK(w.m->stats().phase == manager_phase::stopping);
    CHECK_FALSE(w.m->healthy());
    CHECK_FALSE(w.running->done());
    w.run.advance(1min);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error().message() == "the leadership by Lease default/janitor was lost");
    CHECK(holder(w) == "thief");
}

TEST_CASE("manager election: durations that contradict each other end the manager", "[manager]")
{
    auto o = as("first");
    o.leader_election.renew_deadline = 20s;
    world w(std::move(o));
    w.begin();
    w.run.advance(1s);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    CHECK(w.running->outcome().error() == cond::misconfigured);
    CHECK(w.running->outcome().error().message() == "the election by Lease default/janitor has ended");
}

TEST_CASE("manager election: it may be stopped after any number of steps", "[manager]")
{
    for (std::size_t steps = 0; steps < 500; steps += 9) {
        INFO("after " << steps << " steps");
        world w(as("first"));
        w.put("one");
        lines seen;
        w.m->control<config_map>(janitor{*w.m, seen});
        w.m->start();
        (void)w.run.step(steps);
        CHECK(w.run.run(w.m->stop()));
        CHECK(w.m->stats().phase == manager_phase::stopped);
        const auto left = holder(w);
        CHECK((left.empty() || left == "no lease"));
    }
}

TEST_CASE("manager election: the Lease is released although a part has awaited the informers", "[manager]")
{
    world w(as("first"));
    (void)w.m->informer<config_map>();
    w.m->run("poller", [&]() -> ended {
        (void)co_await w.m->informers().has_synced();
        for (;;) { // only the throw of a co_await ends it
            (void)co_await sleep_for(w.run.clock(), 10s);
        }
    });
    w.begin();
    w.run.advance(5s);
    REQUIRE(holder(w) == "first");
    w.m->request_stop();
    w.run.advance(1min);
    REQUIRE(w.running->done());
    CHECK(w.running->outcome());
    CHECK(holder(w).empty());
}
