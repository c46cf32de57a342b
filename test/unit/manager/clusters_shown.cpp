// Member clusters as an operator sees them: their managers, their rights, their traces.
#include "clusters_fixture.hpp"

#include <kubecoro/testing/recording_spans.hpp>

using namespace manager_test;

namespace {

reconciled nothing(const typed_object<config_map>&, reconcile_context&) { co_return action::done(); }

} // namespace

TEST_CASE("clusters: the managers of those that work are there to be looked at", "[clusters]")
{
    world w;
    far_cluster eu(w), us(w);
    us.put("one");
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("us", us.connect());
    fleet->add("eu", eu.connect());
    (void)w.m->clusters(fleet, noting(seen));
    CHECK(w.m->members().empty());
    w.begin();
    w.run.advance(1s);
    auto all = w.m->members();
    REQUIRE(all.size() == 2);
    CHECK(all[0]->cluster() == "eu");
    CHECK(all[1]->cluster() == "us");
    REQUIRE(all[1]->controllers().size() == 1);
    CHECK(all[1]->controllers()[0].succeeded == 1);
    REQUIRE(all[1]->informers().informers().size() == 1);
    CHECK(all[1]->informers().informers()[0].stats().objects == 1);
    fleet->remove("us");
    w.run.advance(1s);
    REQUIRE(w.m->members().size() == 1);
    CHECK(all[1]->stats().phase == manager_phase::stopped); // who keeps one sees its end
    all.clear();
}

TEST_CASE("clusters: what the set-up needs in each cluster is known without one", "[clusters][rights]")
{
    world w;
    lines called;
    const auto setup = [&called](manager& m) {
        called.push_back(m.cluster());
        m.control<config_map>(nothing).writes<secret>({"create"});
    };
    (void)w.m->clusters(std::make_shared<manual_clusters>(), setup, {.name = "fleet"});
    const auto all = w.m->rights_in_clusters();
    REQUIRE(all);
    REQUIRE(all->size() == 1);
    CHECK(all->front().clusters == "fleet");
    REQUIRE(all->front().rights.size() == 2);
    CHECK(describe(all->front().rights[0]) == "list, watch configmaps");
    CHECK(describe(all->front().rights[1]) == "create secrets");
    CHECK(called == lines{"*"});
    CHECK(w.m->rights().empty());
}

TEST_CASE("clusters: a set-up that fails fails the list of rights, and is named", "[clusters][rights]")
{
    world w;
    const auto fails = [](manager&) -> result<> { return failure(cond::misconfigured, "no flag"); };
    (void)w.m->clusters(std::make_shared<manual_clusters>(), fails, {.name = "fleet"});
    const auto all = w.m->rights_in_clusters();
    REQUIRE_FALSE(all);
    CHECK(all.error().describe().find("fleet: ") != std::string::npos);
    CHECK(all.error().describe().find("no flag") != std::string::npos);
}

TEST_CASE("clusters: a right that is missing in one is named with the cluster", "[clusters][rights]")
{
    world w;
    far_cluster eu(w);
    REQUIRE(w.run.run(eu.server.set_rules({})));
    eu.faults->add({.what = kt::fault::status_answer(403, "Forbidden"), .target = "/configmaps", .times = 0});
    lines seen;
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add({.name = "eu", .revision = "1", .connect = [&](auto executor, client_options how) -> result<client> {
                    auto carrier = std::make_shared<apiserver::in_process_transport>(
                        eu.server, user_info{"limited", {"system:authenticated"}});
                    return client(executor, std::move(carrier), std::move(how));
                }});
    const auto handle = w.m->clusters(fleet, noting(seen));
    w.begin();
    w.run.advance(1s);
    REQUIRE(handle.stats().size() == 1);
    REQUIRE(handle.stats()[0].last_failure);
    const auto why = handle.stats()[0].last_failure->describe();
    CHECK(why.find("in the cluster eu") != std::string::npos);
    CHECK(why.find("the program may not list, watch configmaps") != std::string::npos);
    CHECK(w.m->stats().phase == manager_phase::running);
}

TEST_CASE("clusters: the spans of their runs name them, also with a tracer of a controller's own", "[clusters][traces]")
{
    const auto spans = std::make_shared<kt::recording_spans>(), own = std::make_shared<kt::recording_spans>();
    manager_options o;
    o.traces.tracer = tracer(spans);
    world w(std::move(o));
    far_cluster eu(w);
    const auto setup = [&own](manager& m) {
        m.control<config_map>(nothing, {.name = "shared"});
        control_options how{.name = "own"};
        how.running.traces.tracer = tracer(own);
        m.control<config_map>(nothing, std::move(how));
    };
    const auto fleet = std::make_shared<manual_clusters>();
    fleet->add("eu", eu.connect());
    (void)w.m->clusters(fleet, setup);
    w.m->control<config_map>(nothing, {.name = "home"});
    w.begin();
    w.run.advance(1s);
    w.put("here");
    eu.put("there");
    w.run.advance(1s);
    REQUIRE(spans->named("reconcile shared").size() == 1);
    REQUIRE(spans->named("reconcile home").size() == 1);
    REQUIRE(own->named("reconcile own").size() == 1);
    CHECK(kt::attribute(spans->named("reconcile shared")[0], "kubecoro.cluster") == "eu");
    CHECK(kt::attribute(own->named("reconcile own")[0], "kubecoro.cluster") == "eu");
    CHECK(kt::attribute(spans->named("reconcile home")[0], "kubecoro.cluster").empty());
}
