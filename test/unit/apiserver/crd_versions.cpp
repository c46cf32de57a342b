// Tests of the versions of custom resources: their priority, those that are stored, and the fields that selectors use.
#include "support.hpp"

#include <kubecoro/api/detail/version_order.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string things = "/apis/example.com/v1/namespaces/default/things";

std::string version(const std::string& name, bool storage, const std::string& more = {})
{
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":)"
           R"({"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{)"
           R"("color":{"type":"string"},"size":{"type":"integer"}}}}}})" +
           more + "}";
}

std::string definition(const std::string& versions)
{
    return R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced",)"
           R"("names":{"plural":"things","kind":"Thing"},"versions":[)" +
           versions + "]}}";
}

std::string why(const apiserver::http_response& r)
{
    return std::string(json::parse(r.body).at("message").as_string());
}

/// Replaces the versions of the definition.
apiserver::http_response change(server& s, const std::string& versions, const std::string& query = {})
{
    return s.ask("PATCH", crds + "/things.example.com" + query, R"({"spec":{"versions":[)" + versions + "]}}",
                 {{"content-type", std::string(merge_type)}});
}

std::string stored_versions(const json::value& crd)
{
    return json::serialize(crd.at_pointer("/status/storedVersions"));
}

/// The names of the objects that a field selector selects, in order.
std::string selected(server& s, const std::string& selector, const std::string& more = {})
{
    std::string names;
    const auto list = s.expect(200, "GET", things + "?fieldSelector=" + selector + more);
    for (const auto& each : list.at("items").as_array())
        names += std::string(each.at_pointer("/metadata/name").as_string());
    return names;
}

} // namespace

TEST_CASE("versions: stable ones have priority over beta and alpha, later ones over earlier", "[apiserver][crd]")
{
    const std::vector<std::string> order = {"v10",     "v2",        "v1",        "v11beta2", "v3beta10",
                                            "v3beta2", "v12alpha1", "v11alpha2", "bar1",     "foo10",
                                            "v",       "v1gamma1",  "v1beta",    "v1beta1x"};
    std::vector<std::string> sorted = order;
    std::sort(sorted.begin() + 8, sorted.end()); // those of other forms are in the order of their names
    const auto expected = sorted;
    std::reverse(sorted.begin(), sorted.end());
    std::sort(sorted.begin(), sorted.end(), detail::has_priority);
    CHECK(sorted == expected);
    for (const auto& each : order) CHECK_FALSE(detail::has_priority(each, each));
    CHECK(detail::has_priority("v1", "v99999999999999999999"));
}

TEST_CASE("discovery: the versions of a group are in the order of their priority", "[apiserver][crd]")
{
    server s;
    s.expect(201, "POST", crds,
             definition(version("v1alpha1", false) + "," + version("v1beta1", true) + "," + version("v1", false) + "," +
                        version("custom", false) + "," + version("v2", false)));
    const std::string order = "v2 v1 v1beta1 v1alpha1 custom ";
    const auto group = s.expect(200, "GET", "/apis/example.com");
    CHECK(group.at_pointer("/preferredVersion/groupVersion") == "example.com/v2");
    std::string names;
    for (const auto& v : group.at("versions").as_array()) names += std::string(v.at("version").as_string()) + " ";
    CHECK(names == order);

    const auto aggregated =
        s.ask("GET", "/apis", {}, {{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}});
    names.clear();
    const auto document = json::parse(aggregated.body);
    for (const auto& item : document.at("items").as_array()) {
        if (item.at_pointer("/metadata/name") != "example.com") continue;
        for (const auto& v : item.at("versions").as_array()) names += std::string(v.at("version").as_string()) + " ";
    }
    CHECK(names == order);
}

TEST_CASE("crd: each storage version is kept in status.storedVersions until a client removes it", "[apiserver][crd]")
{
    server s;
    const auto created = s.expect(201, "POST", crds, definition(version("v1", true)));
    CHECK(stored_versions(created) == R"(["v1"])");
    const auto changed = change(s, version("v1", false) + "," + version("v2", true), "?fieldManager=m");
    CHECK(changed.status == 200);
    CHECK(stored_versions(json::parse(changed.body)) == R"(["v1","v2"])");
    CHECK(changed.body.find("f:storedVersions") == std::string::npos); // it has no owner
    const auto same = change(s, version("v1", false) + "," + version("v2", true), "?fieldManager=m");
    CHECK(json::parse(same.body) == s.expect(200, "GET", crds + "/things.example.com"));
    CHECK(stored_versions(json::parse(same.body)) == R"(["v1","v2"])");

    const auto refused = change(s, version("v2", true));
    CHECK(refused.status == 422);
    CHECK(why(refused) ==
          "CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: status.storedVersions[0]: "
          "Invalid value: \"v1\": missing from spec.versions; v1 was previously a storage version, and must remain in "
          "spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from "
          "status.storedVersions");
    const auto migrated =
        s.expect(200, "PATCH", crds + "/things.example.com/status", R"({"status":{"storedVersions":["v2"]}})",
                 {{"content-type", std::string(merge_type)}});
    CHECK(stored_versions(migrated) == R"(["v2"])");
    CHECK(change(s, version("v2", true)).status == 200);
    CHECK(stored_versions(s.expect(200, "GET", crds + "/things.example.com")) == R"(["v2"])");
}

TEST_CASE("crd: the paths of a scale are required, and lead into the spec and the status", "[apiserver][crd]")
{
    server s;
    const auto scale = [](const std::string& paths) { return R"(,"subresources":{"scale":{)" + paths + "}}"; };
    const auto refused = [&](const std::string& versions) {
        const auto r = s.ask("POST", crds, definition(versions));
        CHECK(r.status == 422);
        const std::string begin = "CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: ";
        CHECK(why(r).starts_with(begin));
        return why(r).substr(begin.size());
    };
    const std::string spec = R"("specReplicasPath":".spec.replicas")", status = R"("statusReplicasPath":".status.n")";
    const std::string at = "spec.subresources.scale.";
    CHECK(refused(version("v1", true, scale(""))) ==
          "[" + at + "specReplicasPath: Required value, " + at + "statusReplicasPath: Required value]");
    CHECK(refused(version("v1", true, scale(R"("specReplicasPath":"spec.replicas",)" + status))) ==
          at + "specReplicasPath: Invalid value: \"spec.replicas\": must be a simple json path starting with .");
    CHECK(refused(version("v1", true, scale(R"("specReplicasPath":".specs",)" + status))) ==
          at + "specReplicasPath: Invalid value: \".specs\": should be a json path under .spec");
    CHECK(refused(version("v1", true, scale(spec + R"(,"statusReplicasPath":".spec.n")"))) ==
          at + "statusReplicasPath: Invalid value: \".spec.n\": should be a json path under .status");
    CHECK(refused(version("v1", true, scale(spec + "," + status + R"(,"labelSelectorPath":".metadata.x")"))) ==
          at +
              "labelSelectorPath: Invalid value: \".metadata.x\": should be a json path under either .spec or .status");
    // Versions that differ are named.
    CHECK(refused(version("v1", true, scale(spec + "," + status)) + "," + version("v2", false, scale(spec))) ==
          "spec.versions[1].subresources.scale.statusReplicasPath: Required value");
    s.expect(201, "POST", crds,
             definition(version("v1", true, scale(spec + "," + status + R"(,"labelSelectorPath":".status.s")"))));
}

TEST_CASE("crd: objects and changes from before have the values of selectable fields that were added",
          "[apiserver][crd]")
{
    server s;
    const auto with = [](const std::string& fields) {
        return version("v1", true, fields.empty() ? "" : R"(,"selectableFields":[)" + fields + "]");
    };
    const std::string color = R"({"jsonPath":".spec.color"})", size = R"({"jsonPath":".spec.size"})";
    s.expect(201, "POST", crds, definition(with(color)));
    const auto begin = std::to_string(s.state.resource_version());
    const auto create = [&](const std::string& name, const std::string& of, int bytes) {
        s.expect(201, "POST", things,
                 R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":")" + name +
                     R"("},"spec":{"color":")" + of + R"(","size":)" + std::to_string(bytes) + "}}");
    };
    create("a", "red", 1);
    create("b", "blue", 2);
    CHECK(selected(s, "spec.color=red") == "a");
    CHECK(s.get(things + "?fieldSelector=spec.size=2").status == 400);
    auto by_color = s.watch(things + "?watch=1&fieldSelector=spec.color=red");
    auto by_name = s.watch(things + "?watch=1&fieldSelector=metadata.name=a");
    auto of_all = s.watch(things + "?watch=1");
    for (auto* each : {&by_color, &by_name, &of_all}) CHECK_FALSE((*each)->next(s.now).ended);

    const auto version_before = std::to_string(s.state.resource_version());
    REQUIRE(change(s, with(size + "," + color)).status == 200);
    CHECK(selected(s, "spec.color=red") == "a");
    CHECK(selected(s, "spec.size=2") == "b");
    CHECK(selected(s, "spec.size=2", "&resourceVersionMatch=Exact&resourceVersion=" + version_before) == "b");
    CHECK(brief(lines(s.watch(things + "?watch=1&fieldSelector=spec.size=1&resourceVersion=" + begin)->next(s.now))) ==
          std::vector<std::string>{"ADDED a@" + std::to_string(std::stoull(version_before) - 1)});
    // Watches that depend on the former fields end, as all of them do in a kube-apiserver.
    CHECK(by_color->next(s.now).ended);
    CHECK(by_name->next(s.now).ended);
    CHECK_FALSE(of_all->next(s.now).ended);

    create("c", "red", 2);
    CHECK(selected(s, "spec.color=red,spec.size=2") == "c");
    REQUIRE(change(s, with("")).status == 200);
    CHECK(s.get(things + "?fieldSelector=spec.size=2").status == 400);
    REQUIRE(change(s, with(color)).status == 200);
    CHECK(selected(s, "spec.color=red") == "ac");
}
