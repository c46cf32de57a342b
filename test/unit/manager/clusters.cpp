// Clusters that join, leave, change, hang and fail while a manager runs.
#include "clusters/shared_leadership.hpp"
#include "clusters_fixture.hpp"

#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/timeout.hpp>

#include <algorithm>

using namespace manager_test;

namespace {

bool has(const lines& seen, const std::string& line) { return std::find(seen.begin(), seen.end(), line) != seen.end(); }

} // namespace

TEST_CASE("clusters: the set-up runs in every cluster that joins, and its work ends when the cluster leaves",
          "[clusters]")
{
    world w;
    far_cluster eu(w), us(w);
    eu.put("one");
    us.put("two");
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    const auto handle = w.m->clusters(fleet, noting(seen));
    w.begin();
    w.run.advance(1s);
    CHECK(seen == lines{"eu/one"});
    CHECK(states(handle.stats()) == "eu ready");
    CHECK(handle.stats().front().objects == 1);

    fleet->add("us", us.connect());
    w.run.advance(1s);
    CHECK(seen == lines{"eu/one", "us/two"});
    CHECK(states(w.m->stats().clusters) == "eu ready, us ready");
    CHECK(w.m->describe().find("  cluster us: ready, attempt 1, 1 objects") == std::string::npos);
    CHECK(w.m->describe().find("  cluster us: ready, 1 objects, 0 keys queued\n") != std::string::npos);

    fleet->remove("eu");
    w.run.advance(1s);
    eu.put("three");
    us.put("three");
    w.run.advance(1s);
    CHECK(seen == lines{"eu/one", "us/two", "us/three"});
    CHECK(states(handle.stats()) == "us ready");
    CHECK(w.m->stats().phase == manager_phase::running);
}

TEST_CASE("clusters: a cluster that hangs, is refused or fails its set-up does not delay the others", "[clusters]")
{
    world w;
    far_cluster good(w), hung(w), refused(w);
    hung.faults->add({.what = kt::fault::no_answer(), .times = 0});
    refused.faults->set_down(true);
    good.put("one");
    w.put("home");
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("a-hung", hung.connect());
    fleet->add("b-refused", refused.connect());
    fleet->add("c-broken", good.connect());
    fleet->add({.name = "d-odd", .revision = "1", .connect = [](auto, auto) -> result<client> {
                    return failure(cond::misconfigured, "no address");
                }});
    fleet->add("e-good", good.connect());
    const auto setup = [&seen](manager& m) {
        if (m.cluster() == "c-broken") throw std::runtime_error("not this one");
        noting(seen)(m);
    };
    const auto handle = w.m->clusters(fleet, setup);
    w.m->control<config_map>([&seen](const typed_object<config_map>& o, reconcile_context&) -> reconciled {
        seen.push_back("/" + std::string(o.name()));
        co_return action::done();
    });
    w.begin();
    w.run.advance(1s);
    CHECK(has(seen, "/home"));
    CHECK(has(seen, "e-good/one"));
    CHECK(seen.size() == 2);
    CHECK(w.m->stats().phase == manager_phase::running);
    CHECK(w.run.run(w.m->ready()));

    w.run.advance(10min);
    CHECK(w.m->stats().phase == manager_phase::running);
    const auto all = handle.stats();
    REQUIRE(all.size() == 5);
    CHECK(all[0].state != cluster_state::ready);
    CHECK(all[1].state != cluster_state::ready);
    CHECK(all[2].state == cluster_state::resting);
    CHECK(all[2].attempts > 5);
    REQUIRE(all[2].last_failure);
    CHECK(all[2].last_failure->describe().find("not this one") != std::string::npos);
    CHECK(all[3].last_failure == cond::misconfigured);
    CHECK(all[4].state == cluster_state::ready);
    CHECK(all[4].attempts == 1);
    CHECK(w.log.count("a part of the manager failed") > 0);

    // Both are joined as soon as they can be.
    hung.faults->clear();
    hung.faults->cut_open();
    refused.faults->set_down(false);
    hung.put("late");
    w.run.advance(3min);
    CHECK(has(seen, "a-hung/late"));
    CHECK(handle.stats()[0].state == cluster_state::ready);
    CHECK(handle.stats()[1].state == cluster_state::ready);
}

TEST_CASE("clusters: a change leaves and joins with the new connection, and awaits the runs of the old one",
          "[clusters]")
{
    world w;
    far_cluster before(w), after(w);
    before.put("old");
    after.put("new");
    lines seen;
    const auto setup = [&](manager& m) {
        m.control<config_map>([&](const typed_object<config_map>& o, reconcile_context&) -> reconciled {
            seen.push_back("+" + std::string(o.name()));
            if (o.name() == "old") co_await sleep_for(w.run.clock(), 5s);
            seen.push_back("-" + std::string(o.name()));
            co_return action::done();
        });
    };
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", before.connect());
    const auto handle = w.m->clusters(fleet, setup);
    w.begin();
    CHECK(seen == lines{"+old"});
    fleet->add("eu", after.connect());
    w.run.advance(1s);
    CHECK(states(handle.stats()) == "eu leaving");
    CHECK(seen == lines{"+old"});
    w.run.advance(5s);
    CHECK(seen == lines{"+old", "-old", "+new", "-new"});
    CHECK(states(handle.stats()) == "eu ready");
}

TEST_CASE("clusters: one that leaves during its first lists, or while it rests, is gone at once", "[clusters]")
{
    world w;
    far_cluster hung(w);
    hung.faults->add({.what = kt::fault::no_answer(), .times = 0});
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("hung", hung.connect());
    fleet->add({.name = "odd", .revision = "1", .connect = [](auto, auto) -> result<client> {
                    return failure(cond::misconfigured, "no address");
                }});
    const auto handle = w.m->clusters(fleet, noting(seen));
    w.begin();
    CHECK(states(handle.stats()) == "hung joining, odd resting");
    fleet->remove("hung");
    fleet->remove("odd");
    w.run.advance(1s);
    CHECK(handle.stats().empty());
    CHECK(w.m->stats().parts.size() == 2); // those of the set itself
    CHECK(w.m->stats().phase == manager_phase::running);
}

TEST_CASE("clusters: a full set lets further ones wait until one leaves", "[clusters]")
{
    world w;
    far_cluster eu(w);
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    for (const auto* name : {"a", "b", "c"}) fleet->add(name, eu.connect());
    const auto handle = w.m->clusters(fleet, noting(seen), {.max_clusters = 2});
    w.begin();
    CHECK(states(handle.stats()) == "a ready, b ready, c waiting");
    CHECK(w.log.count("a cluster has to wait") == 1);
    fleet->remove("a");
    w.run.advance(1s);
    CHECK(states(handle.stats()) == "b ready, c ready");
}

TEST_CASE("clusters: they start one after the other, and one that hangs or is refused holds up the others for seconds",
          "[clusters]")
{
    world w;
    far_cluster good(w), hung(w), refused(w);
    hung.faults->add({.what = kt::fault::no_answer(), .times = 0});
    refused.faults->set_down(true);
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("a-hung", hung.connect());
    fleet->add("b-good", good.connect());
    fleet->add({.name = "c-odd", .revision = "1", .connect = [](auto, auto) -> result<client> {
                    return failure(cond::misconfigured, "no address");
                }});
    fleet->add("d-good", good.connect());
    fleet->add("e-refused", refused.connect());
    fleet->add("f-good", good.connect());
    const auto handle = w.m->clusters(fleet, noting(seen), {.max_starting = 1});
    w.begin();
    w.run.advance(1s);
    CHECK(states(handle.stats()) ==
          "a-hung joining, b-good waiting, c-odd waiting, d-good waiting, e-refused waiting, f-good waiting");
    w.run.advance(10s);
    CHECK(states(handle.stats()) ==
          "a-hung joining, b-good ready, c-odd resting, d-good ready, e-refused joining, f-good waiting");
    w.run.advance(10s);
    CHECK(states({handle.stats().back()}) == "f-good ready");
}

TEST_CASE("clusters: removing the handle lets all leave, and ends the provider", "[clusters]")
{
    world w;
    far_cluster eu(w);
    eu.put("one");
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    const auto handle = w.m->clusters(fleet, noting(seen));
    w.begin();
    w.run.advance(1s);
    CHECK(seen == lines{"eu/one"});
    CHECK(w.run.run(handle.removed()));
    CHECK(handle.stats().empty());
    fleet->add("us", eu.connect());
    w.run.advance(1s);
    CHECK(handle.stats().empty());
    CHECK(w.m->stats().parts.empty());
    CHECK(w.m->stats().phase == manager_phase::running);
}

TEST_CASE("clusters: a provider that fails ends the manager, and is named", "[clusters]")
{
    struct broken final : cluster_provider
    {
        void attach(manager&) override {}
        ended run(cluster_sink) override { co_return failure(cond::unreachable, "the registry is gone"); }
    };
    world w;
    lines seen;
    (void)w.m->clusters(std::make_shared<broken>(), noting(seen), {.name = "fleet"});
    w.begin();
    w.run.advance(1s);
    REQUIRE(w.running->done());
    REQUIRE_FALSE(w.running->outcome());
    const auto text = w.running->outcome().error().describe();
    CHECK(text.find("the provider of fleet failed") != std::string::npos);
    CHECK(text.find("the registry is gone") != std::string::npos);
}

TEST_CASE("clusters: names that cannot be printed, or are missing, are refused", "[clusters]")
{
    world w;
    far_cluster eu(w);
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    for (const auto& name : {std::string(), std::string("a b"), std::string("a\nb"), std::string(254, 'a')})
        fleet->add(name, eu.connect());
    const auto handle = w.m->clusters(fleet, noting(seen));
    w.begin();
    CHECK(handle.stats().empty());
    CHECK(w.log.count("a cluster is ignored") == 4);
}

TEST_CASE("clusters: the standby fills its informers, and works when it leads", "[clusters]")
{
    manager_options first_options;
    first_options.leader_election = {.lease = "fleet", .identity = "first", .seed = 1};
    world w(std::move(first_options));
    w.begin();
    w.run.advance(1s);
    far_cluster eu(w);
    eu.put("one");
    lines seen;
    manager_options o;
    o.leader_election = {.lease = "fleet", .identity = "second", .seed = 1};
    manager second(w.cluster, std::move(o));
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    const auto handle = second.clusters(fleet, noting(seen));
    auto running = w.run.spawn(second.run());
    w.run.advance(30s);
    CHECK(states(handle.stats()) == "eu ready");
    CHECK(handle.stats().front().objects == 1);
    CHECK(seen.empty());
    CHECK(w.run.run(w.m->stop()));
    w.run.advance(5s);
    CHECK(seen == lines{"eu/one"});
    CHECK(w.run.run(second.stop()));
}

TEST_CASE("clusters: work in clusters ends before the Lease is released", "[clusters]")
{
    manager_options o;
    o.leader_election = {.lease = "fleet", .identity = "first", .seed = 1};
    world w(std::move(o));
    far_cluster eu(w);
    eu.put("one");
    bool over = false;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    (void)w.m->clusters(fleet, [&](manager& m) {
        m.control<config_map>([&](const typed_object<config_map>&, reconcile_context&) -> reconciled {
            co_await sleep_for(w.run.clock(), 10s);
            over = true;
            co_return action::done();
        });
    });
    w.begin();
    w.run.advance(1s);
    const auto holder = [&] {
        const auto read =
            w.run.run(w.cluster.get({"coordination.k8s.io", "v1", "leases", "Lease"}, "default", "fleet"));
        return read ? std::string(read->path("spec.holderIdentity").as_string("none")) : "no lease";
    };
    w.m->request_stop();
    w.run.advance(7s);
    CHECK_FALSE(over);
    CHECK(holder() == "first");
    w.run.advance(5s);
    CHECK(over);
    CHECK(holder().empty());
    REQUIRE(w.running->done());
    CHECK(w.running->outcome().has_value());
}

TEST_CASE("clusters: a loss of the leadership cancels the work in clusters at once", "[clusters]")
{
    manager_options o;
    o.leader_election = {.lease = "fleet", .identity = "first", .seed = 1};
    world w(std::move(o));
    far_cluster eu(w);
    eu.put("one");
    bool begun = false, over = false;
    struct on_end
    {
        bool& flag;
        ~on_end() { flag = true; }
    };
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    (void)w.m->clusters(fleet, [&](manager& m) {
        m.control<config_map>([&](const typed_object<config_map>&, reconcile_context&) -> reconciled {
            begun = true;
            const on_end mark{over};
            co_await sleep_for(w.run.clock(), 1h);
            co_return action::done();
        });
    });
    w.begin();
    w.run.advance(1s);
    REQUIRE(begun);
    REQUIRE(w.run.run(w.cluster.patch({"coordination.k8s.io", "v1", "leases", "Lease"}, "default", "fleet",
                                      patch_kind::merge, R"({"spec":{"holderIdentity":"thief"}})")));
    w.run.advance(3s);
    CHECK(over);
    REQUIRE(w.running->done());
    CHECK(w.running->outcome().error().message() == "the leadership by Lease default/fleet was lost");
}

TEST_CASE("clusters: the manager may be stopped after any number of steps", "[clusters]")
{
    for (std::size_t steps = 0; steps < 900; steps += 23) {
        INFO("after " << steps << " steps");
        world w;
        far_cluster eu(w), us(w);
        eu.put("one");
        us.faults->add({.what = kt::fault::no_answer(), .times = 0});
        lines seen;
        const auto fleet = std::make_shared<manual_clusters>();
        fleet->add("eu", eu.connect());
        fleet->add("us", us.connect());
        const auto handle = w.m->clusters(fleet, noting(seen));
        w.m->start();
        (void)w.run.step(steps / 2);
        fleet->add("eu", us.connect());
        (void)w.run.step(steps / 2);
        CHECK(w.run.run(w.m->stop()));
        CHECK(w.m->stats().phase == manager_phase::stopped);
        CHECK(handle.stats().empty());
        w.m.reset();
    }
}

TEST_CASE("clusters: own writes are seen before the next run, in the cluster they went to", "[clusters]")
{
    world w;
    far_cluster eu(w);
    eu.put("one", "0");
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    (void)w.m->clusters(fleet, [&](manager& m) {
        m.control<config_map>([&seen, c = m.client()](const typed_object<config_map>& o,
                                                      reconcile_context&) -> reconciled {
            const auto value = std::string(o.untyped().path("data.a").as_string());
            seen.push_back(value);
            if (value != "0") co_return action::done();
            const auto patched =
                co_await c.patch(config_map::resource(), "default", "one", patch_kind::merge, R"({"data":{"a":"1"}})");
            if (!patched) co_return patched.error();
            co_return action::done();
        });
    });
    w.begin();
    w.run.advance(5s);
    CHECK(seen == lines{"0", "1"});
}

TEST_CASE("clusters: an informer of the program's own cluster is a source of the controllers in all", "[clusters]")
{
    world w;
    far_cluster eu(w), us(w);
    lines seen;
    const auto own = w.m->informer<config_map>();
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    fleet->add("us", us.connect());
    const auto setup = [&](manager& m) {
        const auto controlled = m.control(
            secret::resource(), [&seen, name = m.cluster()](const object_key& key, reconcile_context&) -> reconciled {
                seen.push_back(name + "/" + key.name);
                co_return action::done();
            });
        (void)controlled.watch(own, enqueue_object());
    };
    (void)w.m->clusters(fleet, setup);
    w.begin();
    w.put("policy");
    w.run.advance(1s);
    std::sort(seen.begin(), seen.end());
    CHECK(seen == lines{"eu/policy", "us/policy"});
    fleet->remove("eu");
    w.run.advance(1s);
    w.put("other");
    w.run.advance(1s);
    CHECK(seen == lines{"eu/policy", "us/policy", "us/other"});
}

TEST_CASE("clusters: a leadership that is cancelled is lost, and ends when the last one has left it", "[clusters]")
{
    kt::runner run;
    const auto shared = std::make_shared<kubecoro::detail::shared_leadership>();
    const latch never, cancel;
    const auto hold = [&]() -> ended {
        co_await race(kubecoro::detail::finishing(kubecoro::detail::shared_leadership::hold(shared, never)),
                      cancel.wait());
        co_return result<>{};
    };
    auto held = run.spawn(hold());
    run.advance(1s);
    CHECK(shared->granted().settled());
    auto present = shared->enter();
    REQUIRE(present);
    cancel.settle({});
    run.advance(1s);
    CHECK(shared->ending().settled());
    CHECK(shared->lost().settled());
    CHECK_FALSE(shared->enter());
    CHECK_FALSE(held.done());
    present.reset();
    run.advance(1s);
    CHECK(held.done());
}

TEST_CASE("clusters: nothing of a cluster stays in memory when it has left, or of the set when the manager is gone",
          "[clusters]")
{
    world w;
    far_cluster eu(w);
    eu.put("one");
    lines seen;
    const auto of_cluster = std::make_shared<int>(0), of_set = std::make_shared<int>(0);
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    auto handle = w.m->clusters(fleet, [&, of_set](manager& m) {
        m.control<config_map>([of_cluster](const typed_object<config_map>&, reconcile_context&) -> reconciled {
            co_return action::done();
        });
    });
    w.begin();
    CHECK(of_cluster.use_count() > 1);
    fleet->remove("eu");
    w.run.advance(1s);
    CHECK(of_cluster.use_count() == 1);
    fleet->add("eu", eu.connect());
    w.run.advance(1s);
    CHECK(of_cluster.use_count() > 1);
    CHECK(w.run.run(handle.removed()));
    const auto next = w.m->clusters(fleet, noting(seen)); // the former set goes now
    CHECK(of_set.use_count() == 1);
    CHECK(handle.stats().empty());
    w.run.advance(1s);
    CHECK(seen == lines{"eu/one"});
}
