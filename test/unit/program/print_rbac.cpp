// The manifest of rights that --print-rbac prints.
#include "operator/print_rbac.hpp"

#include <kubecoro/test/catch.hpp>

#include <string>

using namespace kubecoro;

namespace {

std::string rbac(manager_options managing)
{
    operator_options o;
    o.name = "janitor";
    o.managing = std::move(managing);
    const auto nothing = [](manager&) { return result<>(); };
    return detail::rbac_of(std::move(o), nothing, "ops").value();
}

} // namespace

TEST_CASE("print rbac: Leases are in the namespace of the command line", "[program]")
{
    std::string text;
    SECTION("those of an election") { text = rbac({.leader_election = {.lease = "janitor"}}); }
    SECTION("those of shards") { text = rbac({.shards = {.group = "janitor"}}); }
    CHECK(text.find("leases") != std::string::npos);
    CHECK(text.find("namespace: ops\n") != std::string::npos);
    CHECK(text.find("default") == std::string::npos);
}

namespace {

const detail::operator_setup fleet = [](manager& m) {
    m.needs({"", "v1", "pods", "Pod", true}, {"list"});
    (void)m.clusters(std::make_shared<manual_clusters>(), [](manager& cluster) {
        cluster.needs({"", "v1", "nodes", "Node", false}, {"get"});
    });
};

} // namespace

TEST_CASE("print rbac: what member clusters need is a manifest of its own", "[program]")
{
    operator_options o;
    o.name = "janitor";
    const auto home = detail::rbac_of(o, fleet, "ops").value();
    CHECK(home.find("pods") != std::string::npos);
    CHECK(home.find("nodes") == std::string::npos);
    CHECK(home.find("--print-cluster-rbac") != std::string::npos);
    const auto members = detail::cluster_rbac_of(o, fleet, "ops").value();
    CHECK(members.find("# For each cluster of the set clusters, not for the operator's own.") == 0);
    CHECK(members.find("name: janitor-clusters\n") != std::string::npos);
    CHECK(members.find("nodes") != std::string::npos);
    CHECK(members.find("pods") == std::string::npos);
}

TEST_CASE("print rbac: the rights in the operator's own cluster are printed without the set-up of clusters",
          "[program]")
{
    operator_options o;
    o.name = "janitor";
    int calls = 0;
    const detail::operator_setup counted = [&calls](manager& m) {
        (void)m.clusters(std::make_shared<manual_clusters>(), [&calls](manager&) { ++calls; }, {.name = "fleet"});
        CHECK(m.sets_of_clusters() == std::vector<std::string>{"fleet"});
    };
    CHECK(detail::rbac_of(o, counted, "ops").value().find("--print-cluster-rbac") != std::string::npos);
    CHECK(calls == 0);
    CHECK(detail::cluster_rbac_of(o, counted, "ops").has_value());
    CHECK(calls == 1);
}

TEST_CASE("print rbac: an operator of one cluster has no rights elsewhere", "[program]")
{
    operator_options o;
    o.name = "janitor";
    const detail::operator_setup nothing = [](manager&) {};
    CHECK(detail::rbac_of(o, nothing, "ops").value().find("#") == std::string::npos);
    CHECK(detail::cluster_rbac_of(o, nothing, "ops").error() == cond::not_found);
}

TEST_CASE("print rbac: a namespace of Leases in the options stays", "[program]")
{
    std::string text;
    SECTION("of an election") { text = rbac({.leader_election = {.lease = "janitor", .ns = "locks"}}); }
    SECTION("of shards") { text = rbac({.shards = {.group = "janitor", .ns = "locks"}}); }
    CHECK(text.find("namespace: locks\n") != std::string::npos);
}

TEST_CASE("print webhooks: manifests that parts declare, for that namespace, before the rights", "[program]")
{
    operator_options o;
    o.name = "janitor";
    const detail::operator_setup hooked = [](manager& m) {
        m.declare_manifest([&m] { return "a: " + m.client().default_namespace() + "\n"; });
        m.declare_manifest([] { return std::string("b: 2\n"); });
        m.needs({"", "v1", "pods", "Pod", true}, {"list"});
    };
    const auto rights = detail::rbac_of(o, hooked, "ops").value();
    CHECK(detail::webhooks_of(o, hooked, "ops").value() == "a: ops\n---\nb: 2\n---\n" + rights);
    const detail::operator_setup nothing = [](manager&) {};
    CHECK(detail::webhooks_of(o, nothing, "ops").error() == cond::not_found);
}
