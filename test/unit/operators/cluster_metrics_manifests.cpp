// The manifest for users: it grants what the series need, and no more.
#include "family.hpp"

#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace json = boost::json;

namespace {

std::vector<json::value> manifest()
{
    std::ifstream file(KUBECORO_MANIFESTS "/cluster-metrics.yaml");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return kubecoro::load_manifests(text, "cluster-metrics.yaml").value();
}

const json::value& of_kind(const std::vector<json::value>& objects, std::string_view kind)
{
    const auto at = std::find_if(objects.begin(), objects.end(),
                                 [kind](const json::value& o) { return o.at("kind").as_string() == kind; });
    REQUIRE(at != objects.end());
    return *at;
}

} // namespace

TEST_CASE("cluster-metrics: the manifest grants list and watch of the kinds that have series, and no more",
          "[manifests]")
{
    const auto objects = manifest();
    std::set<std::string> granted;
    for (const auto& rule : of_kind(objects, "ClusterRole").at("rules").as_array()) {
        CHECK(rule.at("verbs") == json::array{"list", "watch"});
        REQUIRE(rule.at("apiGroups").as_array().size() == 1);
        for (const auto& r : rule.at("resources").as_array())
            granted.insert(std::string(rule.at("apiGroups").at(0).as_string()) + "/" + std::string(r.as_string()));
    }
    std::set<std::string> needed;
    for (const auto& kind : kubecoro::cluster_metrics::all_kinds())
        needed.insert(kind.resource.group + "/" + kind.resource.plural);
    CHECK(granted == needed);
    const auto& subjects = of_kind(objects, "ClusterRoleBinding").at("subjects");
    REQUIRE(subjects.as_array().size() == 1);
    CHECK(subjects.at(0).at("name") == of_kind(objects, "ServiceAccount").at("metadata").at("name"));
}

TEST_CASE("cluster-metrics: the manifest runs it unprivileged and probes it", "[manifests]")
{
    const auto objects = manifest();
    const auto& spec = of_kind(objects, "Deployment").at("spec");
    CHECK(spec.at("replicas") == 1);
    const auto& pod = spec.at("template").at("spec");
    CHECK(pod.at("securityContext").at("runAsNonRoot") == true);
    const auto& container = pod.at("containers").at(0);
    const auto& limits = container.at("securityContext");
    CHECK(limits.at("allowPrivilegeEscalation") == false);
    CHECK(limits.at("readOnlyRootFilesystem") == true);
    CHECK(limits.at("capabilities").at("drop") == json::array{"ALL"});
    CHECK(container.at("livenessProbe").at("httpGet").at("path") == "/livez");
    CHECK(container.at("readinessProbe").at("httpGet").at("path") == "/readyz");
    CHECK(container.at("resources").as_object().contains("limits"));
}
