// Tests of the built-in kinds without rules of their own, and of the structure that OpenAPI documents describe.
#include "support.hpp"

#include "state/registry.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

TEST_CASE("kinds: those of kubectl create are stored, in JSON and in protobuf", "[apiserver][kinds]")
{
    server s;
    const auto create = [&](const std::string& at, const std::string& body) {
        const auto made = s.expect(201, "POST", at, body);
        const auto name = std::string(made.at_pointer("/metadata/name").as_string());
        const auto r = s.ask("GET", at + "/" + name, {}, {{"Accept", "application/vnd.kubernetes.protobuf"}});
        CHECK(r.status == 200);
        CHECK(r.body.starts_with("k8s"));
        const auto put =
            s.ask("PUT", at + "/" + name, r.body, {{"Content-Type", "application/vnd.kubernetes.protobuf"}});
        CHECK(put.status == 200);
        CHECK(json::parse(put.body) == made);
        s.expect(200, "DELETE", at + "/" + name);
        return made;
    };
    const std::string rbac = "/apis/rbac.authorization.k8s.io/v1";
    create(rbac + "/clusterroles",
           R"({"metadata":{"name":"a"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})");
    create(
        rbac + "/clusterrolebindings",
        R"({"metadata":{"name":"a"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"a"}})");
    create(rbac + "/namespaces/default/roles", R"({"metadata":{"name":"a"},"rules":null})");
    create(rbac + "/namespaces/default/rolebindings",
           R"({"metadata":{"name":"a"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"a"}})");
    const auto ingress =
        create("/apis/networking.k8s.io/v1/namespaces/default/ingresses",
               R"({"metadata":{"name":"a"},"spec":{"rules":[{"host":"h"}]},"status":{"loadBalancer":{}}})");
    CHECK(ingress.at_pointer("/metadata/generation") == 1);
    create("/apis/policy/v1/namespaces/default/poddisruptionbudgets",
           R"({"metadata":{"name":"a"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}})");
    create("/apis/scheduling.k8s.io/v1/priorityclasses", R"({"metadata":{"name":"a"},"value":7})");
    create("/api/v1/namespaces/default/resourcequotas", R"({"metadata":{"name":"a"},"spec":{"hard":{"pods":"1"}}})");
    create("/apis/apps/v1/namespaces/default/controllerrevisions",
           R"({"metadata":{"name":"a"},"data":{"any":["thing"]},"revision":3})");
}

TEST_CASE("kinds: an unknown resource of a built-in group is answered with a Status", "[apiserver][kinds]")
{
    server s;
    CHECK(s.expect(404, "GET", "/apis/policy/v1/namespaces/default/nothing").at("reason") == "NotFound");
    CHECK(s.get("/apis/nothing.example.com/v1/x").body == "404 page not found\n");
}

TEST_CASE("kinds: null texts in maps are empty texts, as Go reads them", "[apiserver][kinds]")
{
    server s;
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    const auto made =
        s.expect(201, "POST", maps, R"({"metadata":{"name":"m","labels":{"l":null}},"data":{"a":null,"b":"1"}})");
    CHECK(json::serialize(made.at("data")) == R"({"a":"","b":"1"})");
    CHECK(json::serialize(made.at_pointer("/metadata/labels")) == R"({"l":""})");
    s.expect(400, "POST", maps, R"({"metadata":{"name":"n"},"data":{"a":1}})");
    CHECK(json::serialize(
              s.expect(200, "PUT", maps + "/m", R"({"metadata":{"name":"m"},"data":{"c":null}})").at("data")) ==
          R"({"c":""})");
}

TEST_CASE("openapi: documents describe the fields of built-in kinds and their types", "[apiserver][openapi]")
{
    server s;
    const auto core = s.expect(200, "GET", "/openapi/v3/api/v1");
    const auto& all = core.at_pointer("/components/schemas").as_object();
    const auto& pod = all.at("io.k8s.api.core.v1.Pod");
    CHECK(pod.at_pointer("/properties/spec/$ref") == "#/components/schemas/io.k8s.api.core.v1.PodSpec");
    CHECK(pod.at_pointer("/properties/kind/type") == "string");
    CHECK(json::serialize(pod.at("x-kubernetes-group-version-kind")) ==
          R"([{"group":"","version":"v1","kind":"Pod"}])");
    const auto& spec = all.at("io.k8s.api.core.v1.PodSpec").at("properties");
    CHECK(spec.at_pointer("/containers/type") == "array");
    CHECK(spec.at_pointer("/containers/items/$ref") == "#/components/schemas/io.k8s.api.core.v1.Container");
    CHECK(spec.at_pointer("/nodeSelector/additionalProperties/type") == "string");
    CHECK(spec.at_pointer("/priority/format") == "int32");
    // Fields of inlined messages belong to the message around them.
    CHECK(all.at("io.k8s.api.core.v1.Probe").at("properties").as_object().contains("httpGet"));
    CHECK(all.at("io.k8s.api.core.v1.Probe").at_pointer("/properties/periodSeconds/type") == "integer");
    // A message that contains itself.
    const auto crds = s.expect(200, "GET", "/openapi/v3/apis/apiextensions.k8s.io/v1");
    CHECK(json::serialize(crds).find("JSONSchemaProps\"}") != std::string::npos);
    // The hash of the index is that of the document's address.
    const auto index = s.expect(200, "GET", "/openapi/v3");
    const auto url = std::string(index.at("paths").at("api/v1").at("serverRelativeURL").as_string());
    CHECK(s.get(url).header("cache-control") == "public, immutable");
    CHECK(s.get("/openapi/v3/api/v1?hash=other").header("cache-control") == "no-cache, private");
}

TEST_CASE("version: says which versions it emulates and is compatible with", "[apiserver][kinds]")
{
    server s;
    const auto version = s.expect(200, "GET", "/version");
    CHECK(version.at("emulationMinor") == "36");
    CHECK(version.at("minCompatibilityMinor") == "35");
}
