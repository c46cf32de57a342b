// The manifests of config-reloader say what its code declares.
#include "manifest_checks.hpp"
#include "reloader.hpp"

using namespace kubecoro;

namespace {

const manifest_test::folder here{KUBECORO_OPERATORS "/config-reloader"};

std::string rights_in(std::vector<std::string> namespaces)
{
    manager_options o{.namespaces = std::move(namespaces)};
    o.leader_election.lease = "config-reloader";
    const auto fill = [](manager& m) { (void)config_reloader::add_reloader(m); };
    return manifest_test::printed_rights("config-reloader", std::move(o), fill);
}

} // namespace

TEST_CASE("config-reloader: its manifests of rights are what --print-rbac prints", "[manifests]")
{
    CHECK(here.text_of("manifests/rbac.yaml") == rights_in({}));
    CHECK(here.text_of("manifests/rbac-one-namespace.yaml") == rights_in({"shop"}));
}

TEST_CASE("config-reloader: it may read contents and patch workloads, and nothing else", "[manifests]")
{
    const auto role = here.object_of("manifests/rbac.yaml", "ClusterRole");
    const auto& rules = role.at("rules").as_array();
    REQUIRE(rules.size() == 2);
    CHECK(rules[0].at("resources") == boost::json::array{"configmaps", "secrets"});
    CHECK(rules[0].at("verbs") == boost::json::array{"get", "list", "watch"});
    CHECK(rules[1].at("resources") == boost::json::array{"daemonsets", "deployments", "statefulsets"});
    CHECK(rules[1].at("verbs") == boost::json::array{"list", "watch", "patch"});
}

TEST_CASE("config-reloader: the manifest runs it unprivileged, with probes, election and time to stop", "[manifests]")
{
    manifest_test::check_deployment(here, "config-reloader", 2);
}
