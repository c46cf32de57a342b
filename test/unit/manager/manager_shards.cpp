// Managers that divide the keys of their controllers.
#include "clusters_fixture.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/controller/shard_member.hpp>

#include <algorithm>
#include <set>

using namespace manager_test;
using untyped::lease;

namespace {

manager_options as(const std::string& identity)
{
    manager_options o;
    o.name = identity;
    o.shards.group = "janitor";
    o.shards.identity = identity;
    o.shards.seed = 1;
    return o;
}

std::set<std::string> names(const lines& seen) { return {seen.begin(), seen.end()}; }

} // namespace

TEST_CASE("manager shards: all replicas work, each on its keys, and one that stops hands them over", "[manager]")
{
    world w(as("first"));
    for (int i = 0; i < 20; ++i) w.put("map-" + std::to_string(i));
    lines seen, everywhere;
    w.m->control<config_map>(janitor{*w.m, seen});
    w.m->control<config_map>(janitor{*w.m, everywhere}, {.name = "everywhere", .needs_leadership = false});
    w.begin();
    w.run.advance(1s);
    CHECK(w.m->stats().phase == manager_phase::running);
    CHECK(names(seen).size() == 20);
    CHECK(names(everywhere).size() == 20);
    CHECK(w.m->healthy());
    const auto rights = w.m->rights();
    CHECK(std::any_of(rights.begin(), rights.end(), [](const access_right& r) {
        return r.resource == "leases" && r.ns == "default" && std::count(r.verbs.begin(), r.verbs.end(), "delete") == 1;
    }));
    REQUIRE(w.m->stats().shards);
    CHECK(w.m->stats().shards->state == shard_state::settled);
    CHECK(w.m->describe().find("first: settled, 1 members") != std::string::npos);

    manager second(w.cluster, as("second"));
    lines of_second;
    second.control<config_map>(janitor{second, of_second});
    auto running = w.run.spawn(second.run());
    w.run.advance(2s);
    const auto moved = names(of_second);
    CHECK(moved.size() > 2);
    CHECK(moved.size() < 18);
    CHECK(second.stats().shards->members == 2);
    CHECK(names(seen).size() == 20);

    of_second.clear();
    CHECK(w.run.run(w.m->stop()));
    w.run.advance(1s);
    CHECK(names(of_second).size() == 20 - moved.size());
    CHECK(second.stats().shards->members == 1);
    CHECK(w.run.run(second.stop()));
    const auto left = w.run.run(w.cluster.list(lease::resource(), "default"));
    REQUIRE(left);
    CHECK(left->items.empty());
}

TEST_CASE("manager shards: a controller's own share counts, not the manager's", "[manager]")
{
    world w(as("first"));
    for (int i = 0; i < 20; ++i) w.put("map-" + std::to_string(i));
    shard_member apart(w.run.executor(), w.cluster, {.group = "apart"});
    lines of_apart;
    w.m->control<config_map>(janitor{*w.m, of_apart}, {.running = {.share = apart.share()}});
    w.begin();
    w.run.advance(1s);
    CHECK(w.m->stats().shards->state == shard_state::settled);
    CHECK(of_apart.empty());
    auto joining = w.run.spawn(apart.run());
    w.run.advance(1s);
    CHECK(names(of_apart).size() == 20);
    CHECK(w.run.run(apart.stop()));
    CHECK(w.run.run(w.m->stop()));
}

TEST_CASE("manager shards: informers of what is divided keep their part, others keep all", "[manager]")
{
    const auto dividing = [](const std::string& identity) {
        auto o = as(identity);
        o.shards.divides_objects = true;
        return o;
    };
    world w(dividing("first"));
    for (int i = 0; i < 20; ++i) w.put("map-" + std::to_string(i));
    lines seen, everywhere, of_second;
    w.m->control<config_map>(janitor{*w.m, seen});
    w.begin();
    w.run.advance(2s);
    CHECK(names(seen).size() == 20);
    CHECK(w.m->stats().shards->state == shard_state::settled);

    manager second(w.cluster, dividing("second"));
    second.control<config_map>(janitor{second, of_second});
    auto running = w.run.spawn(second.run());
    w.run.advance(2s);
    const auto moved = names(of_second);
    CHECK(moved.size() > 2);
    CHECK(w.m->lister<config_map>().list().size() == 20 - moved.size());
    CHECK(second.lister<config_map>().list().size() == moved.size());

    // A controller of all keys gets an informer of all objects, and readers get that one.
    w.m->control<config_map>(janitor{*w.m, everywhere}, {.name = "everywhere", .needs_leadership = false});
    w.run.advance(1s);
    CHECK(names(everywhere).size() == 20);
    CHECK(w.m->lister<config_map>().list().size() == 20);

    of_second.clear();
    CHECK(w.run.run(w.m->stop()));
    w.run.advance(2s);
    CHECK(names(of_second).size() == 20 - moved.size());
    CHECK(second.lister<config_map>().list().size() == 20);
    CHECK(w.run.run(second.stop()));
}

TEST_CASE("manager shards: what is owned is divided by namespaces only", "[manager]")
{
    const auto idle = [](const object_key&, reconcile_context&) -> reconciled { co_return action::done(); };
    for (const auto by : {shard_by::object, shard_by::ns}) {
        auto o = as("first");
        o.shards.divides_objects = true;
        o.shards.by = by;
        world w(std::move(o));
        lines seen;
        w.m->control<config_map>(janitor{*w.m, seen}).owns<untyped::service>();
        w.m->control<untyped::pod>(idle).owns<config_map>();
        w.begin();
        w.run.advance(2s);
        CHECK(w.m->stats().phase == manager_phase::running);
        std::size_t divided = 0;
        for (const auto& i : w.m->informers().informers()) divided += i.share() ? 1 : 0;
        CHECK(divided == (by == shard_by::ns ? 3 : 2));
        CHECK(w.m->informers().informers().size() == (by == shard_by::ns ? 4 : 5));
        CHECK(w.run.run(w.m->stop()));
    }
}

TEST_CASE("manager shards: options that contradict each other end the manager, naming the part", "[manager]")
{
    auto o = as("first");
    o.shards.retry_period = 9s;
    world w(std::move(o));
    const auto outcome = w.run.run(w.m->run());
    REQUIRE(!outcome);
    CHECK(outcome.error() == cond::misconfigured);
    CHECK(outcome.error().describe().find("shards failed") != std::string::npos);
}

TEST_CASE("manager shards: it may be stopped after any number of steps, and leaves no Lease", "[manager]")
{
    for (std::size_t steps = 0; steps < 120; steps += 3) {
        world w(as("first"));
        w.put("one");
        lines seen;
        w.m->control<config_map>(janitor{*w.m, seen});
        w.running = w.run.spawn(w.m->run());
        static_cast<void>(w.run.step(steps));
        CHECK(w.run.run(w.m->stop()));
        const auto left = w.run.run(w.cluster.list(lease::resource(), "default"));
        REQUIRE(left);
        CHECK(left->items.empty());
    }
}

TEST_CASE("manager shards: replicas divide the keys of each cluster as well", "[manager][clusters]")
{
    world w(as("first"));
    far_cluster eu(w), us(w);
    for (int i = 0; i < 20; ++i) {
        eu.put("map-" + std::to_string(i));
        us.put("map-" + std::to_string(i));
    }
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    fleet->add("us", us.connect());
    lines of_first, of_second;
    (void)w.m->clusters(fleet, noting(of_first));
    w.begin();
    w.run.advance(1s);
    CHECK(names(of_first).size() == 40);

    manager second(w.cluster, as("second"));
    const auto same_fleet = std::make_shared<manual_clusters>();
    same_fleet->add("eu", eu.connect());
    same_fleet->add("us", us.connect());
    (void)second.clusters(same_fleet, noting(of_second));
    auto running = w.run.spawn(second.run());
    w.run.advance(3s);
    const auto moved = names(of_second);
    CHECK(moved.size() > 4);
    CHECK(moved.size() < 36);
    of_first.clear();
    of_second.clear();
    eu.put("late");
    w.run.advance(1s);
    CHECK(of_first.size() + of_second.size() == 1);

    of_second.clear();
    CHECK(w.run.run(w.m->stop()));
    w.run.advance(1s);
    CHECK(names(of_second).size() >= 40 - moved.size());
    CHECK(w.run.run(second.stop()));
}
