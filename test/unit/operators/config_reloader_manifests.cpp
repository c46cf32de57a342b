// The manifests for users: both grant the same rights, and only those that the operator needs.
#include <kubecoro/apiserver/manifests.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace json = boost::json;

namespace {

std::vector<json::value> manifest(const std::string& name)
{
    std::ifstream file(KUBECORO_MANIFESTS "/" + name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return kubecoro::apiserver::load_manifests(text, name).value();
}

const json::value& of_kind(const std::vector<json::value>& objects, std::string_view kind)
{
    const auto at = std::find_if(objects.begin(), objects.end(),
                                 [kind](const json::value& o) { return o.at("kind").as_string() == kind; });
    REQUIRE(at != objects.end());
    return *at;
}

} // namespace

TEST_CASE("config-reloader: both manifests grant the rights it needs, and no more", "[manifests]")
{
    const auto everywhere = manifest("config-reloader.yaml");
    const auto in_one_namespace = manifest("one-namespace.yaml");
    const auto needed = json::parse(R"([
        {"apiGroups":["apps"],"resources":["deployments","statefulsets","daemonsets"],"verbs":["list","watch","patch"]},
        {"apiGroups":[""],"resources":["configmaps","secrets"],"verbs":["get","list","watch"]}])");
    CHECK(of_kind(everywhere, "ClusterRole").at("rules") == needed);
    CHECK(of_kind(in_one_namespace, "Role").at("rules") == needed);
    const auto& account = of_kind(everywhere, "ServiceAccount").at("metadata");
    for (const auto& subjects : {of_kind(everywhere, "ClusterRoleBinding").at("subjects"),
                                 of_kind(in_one_namespace, "RoleBinding").at("subjects")}) {
        REQUIRE(subjects.as_array().size() == 1);
        CHECK(subjects.at(0).at("name") == account.at("name"));
        CHECK(subjects.at(0).at("namespace") == account.at("namespace"));
    }
}

TEST_CASE("config-reloader: the manifest runs one instance, unprivileged, with enough time to stop", "[manifests]")
{
    const auto objects = manifest("config-reloader.yaml");
    const auto& spec = of_kind(objects, "Deployment").at("spec");
    CHECK(spec.at("replicas") == 1);
    const auto& pod = spec.at("template").at("spec");
    CHECK(pod.at("terminationGracePeriodSeconds").as_int64() > 30); // the grace period of its runs
    CHECK(pod.at("securityContext").at("runAsNonRoot") == true);
    const auto& limits = pod.at("containers").at(0).at("securityContext");
    CHECK(limits.at("allowPrivilegeEscalation") == false);
    CHECK(limits.at("readOnlyRootFilesystem") == true);
    CHECK(limits.at("capabilities").at("drop") == json::array{"ALL"});
}
