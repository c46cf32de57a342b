// The manifests of cluster-metrics say what its code declares: the right to list and watch the kinds that have series.
#include "cluster_series.hpp"
#include "manifest_checks.hpp"

using namespace kubecoro;

namespace {

const manifest_test::folder here{KUBECORO_OPERATORS "/cluster-metrics"};

} // namespace

TEST_CASE("cluster-metrics: its manifest of rights is what --print-rbac prints", "[manifests]")
{
    const auto fill = [](manager& m) { REQUIRE(cluster_metrics::cluster_series::make(m, {})); };
    CHECK(here.text_of("manifests/rbac.yaml") == manifest_test::printed_rights("cluster-metrics", {}, fill));
}

TEST_CASE("cluster-metrics: the manifest grants list and watch, and nothing else", "[manifests]")
{
    const auto role = here.object_of("manifests/rbac.yaml", "ClusterRole");
    for (const auto& rule : role.at("rules").as_array()) CHECK(rule.at("verbs") == boost::json::array{"list", "watch"});
}

TEST_CASE("cluster-metrics: the manifest runs it unprivileged and probes it", "[manifests]")
{
    manifest_test::check_deployment(here, "cluster-metrics", 1);
}
