// Checks of bodies without a server: schemas that a server publishes, patches of built-in kinds, offline checks.
#include "check/body_check.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

const resource_type pods{"", "v1", "pods", "Pod"};
const resource_type sites{"example.com", "v1", "sites", "Site"};

const known_schema pod_schema{builtin_schemas::find("v1", "Pod"), {}};

/// The server's message; empty for a body that passes.
std::string refusal(body_role role, const char* text)
{
    const auto checked = check_body({pods, role}, pod_schema, text, false);
    if (checked) {
        CHECK(*checked == text);
        return {};
    }
    REQUIRE(checked.error().status() != nullptr);
    return checked.error().status()->message;
}

std::string offline(const char* text)
{
    const auto checked = check_built_in(json::parse(text));
    if (checked) return {};
    return checked.error().status() ? checked.error().status()->message : checked.error().message();
}

const char* const document = R"({"paths":{"/apis/example.com/v1/namespaces/{namespace}/sites/{name}/status":{}},
    "components":{"schemas":{
        "other":{"type":"object","x-kubernetes-group-version-kind":[{"group":"example.com","version":"v2","kind":"Site"}]},
        "com.example.v1.Site":{"type":"object",
            "x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Site","version":"v1"}],
            "properties":{
                "apiVersion":{"type":"string"},"kind":{"type":"string"},
                "metadata":{"allOf":[{"$ref":"#/components/schemas/ObjectMeta"}],"default":{}},
                "spec":{"type":"object","required":["host"],"properties":{
                    "host":{"type":"string"},
                    "$ref":{"type":"string"},
                    "allOf":{"type":"integer"},
                    "embedded":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{
                        "metadata":{"$ref":"#/components/schemas/ObjectMeta"}}}}}}}}}})";

} // namespace

TEST_CASE("body check: numbers are those that a server takes in the same body", "[checks]")
{
    const auto passes = [](const char* kind, body_role role, const std::string& text) {
        const known_schema schema{
            builtin_schemas::find(std::string_view(kind) == "Deployment" ? "apps/v1" : "v1", kind), {}};
        return check_body({pods, role}, schema, text, false).has_value();
    };
    // As kube-apiserver 1.36.3 answered.
    const auto replicas = [&](body_role role, const char* n) {
        return passes("Deployment", role,
                      R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":)" + std::string(n) + "}}");
    };
    for (const auto role : {body_role::applied, body_role::strategic_patch}) {
        for (const char* good :
             {"2", "2.0", "2e0", "-0.0", "4294967298", "4294967298.0", "18446744073709551615", "1e19"})
            CHECK(replicas(role, good));
        for (const char* bad : {"2.5", "2.0000000001", "\"2\"", "true"}) CHECK_FALSE(replicas(role, bad));
    }
    for (const auto role : {body_role::object, body_role::merge_patch}) {
        CHECK(replicas(role, "2"));
        for (const char* bad : {"2.0", "2e0", "2.5", "3000000000", "\"2\""}) CHECK_FALSE(replicas(role, bad));
    }
    const auto data = [&](body_role role, const char* value) {
        return passes("Secret", role, R"({"apiVersion":"v1","kind":"Secret","data":{"a":)" + std::string(value) + "}}");
    };
    for (const auto role : {body_role::object, body_role::merge_patch, body_role::strategic_patch}) {
        for (const char* good : {"[104,105]", "[]", "[null,255]", "\"aGk=\"", "null"}) CHECK(data(role, good));
        for (const char* bad : {"[\"aGk=\"]", "[[1]]", "5", "\"aGk\""}) CHECK_FALSE(data(role, bad));
    }
    for (const char* bad : {"[104,300]", "[-1]", "[104.0]"}) CHECK_FALSE(data(body_role::object, bad));
    for (const char* bad : {"[104,105]", "[]", "5"}) CHECK_FALSE(data(body_role::applied, bad));
}

TEST_CASE("body check: published schemas are used with their references open", "[checks]")
{
    const auto schema = schema_in_openapi(document, sites);
    REQUIRE(schema);
    CHECK(schema->has_status_subresource());
    CHECK(schema->resource().plural == "sites");
    const auto fields = [&](const char* text) {
        std::vector<std::string> out = schema->unknown_fields(json::parse(text));
        for (const auto& e : schema->structural_errors(json::parse(text))) out.push_back(e.field);
        return out;
    };
    CHECK(fields(R"({"metadata":{"labels":{"a":"b"}},"spec":{"host":"a","$ref":"x","allOf":1,
                     "embedded":{"apiVersion":"v1","kind":"X","metadata":{"name":"x"}}}})")
              .empty());
    CHECK(fields(R"({"spec":{"bogus":1,"$ref":1}})") ==
          std::vector<std::string>{"spec.bogus", "spec.$ref", "spec.host"});
    CHECK(schema_in_openapi(document, pods).error() == cond::not_found);
    CHECK(schema_in_openapi("{", sites).error() == cond::corrupt);
    CHECK(schema_in_openapi("[]", sites).error() == cond::not_found);
    CHECK(schema_in_definition("<html>", sites).error() == cond::corrupt);
    CHECK(schema_in_definition("{}", sites).error() == cond::invalid);
}

TEST_CASE("body check: only objects and their status are checked", "[checks]")
{
    CHECK(body_to_check(pods, "", body_role::object)->is_status == false);
    CHECK(body_to_check(pods, "status", body_role::object)->is_status);
    CHECK_FALSE(body_to_check(pods, "scale", body_role::object));
    CHECK(patch_to_check(pods, "", patch_kind::merge)->role == body_role::merge_patch);
    CHECK(patch_to_check(pods, "", patch_kind::strategic_merge)->role == body_role::strategic_patch);
    CHECK(patch_to_check(pods, "status", patch_kind::apply)->role == body_role::applied);
    CHECK_FALSE(patch_to_check(pods, "", patch_kind::json));
    CHECK_FALSE(patch_to_check(pods, "resize", patch_kind::merge));
}

TEST_CASE("body check: patches of built-in kinds", "[checks]")
{
    const std::string strict = R"(Pod in version "v1" cannot be handled as a Pod: strict decoding error: )";
    const auto* const directives =
        R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a","$patch":"delete"}],)"
        R"("$retainKeys":["x"]},"metadata":{"labels":{"a":null}}})";
    CHECK(refusal(body_role::strategic_patch, directives).empty());
    CHECK(refusal(body_role::merge_patch, directives) ==
          strict + R"(unknown field "spec.$setElementOrder/containers", unknown field "spec.containers[0].$patch", )"
                   R"(unknown field "spec.$retainKeys")");
    CHECK(refusal(body_role::merge_patch, R"({"spec":{"nodeName":null,"a":null}})") ==
          strict + R"(unknown field "spec.a")");
    CHECK(refusal(body_role::merge_patch, R"({"spec":{"a":1,"nodeName":"x","nodeName":"y"}})") ==
          strict + R"(duplicate field "spec.nodeName", unknown field "spec.a")");
    CHECK(refusal(body_role::merge_patch, R"({"spec":{"nodeName":1}})") ==
          R"(Pod in version "v1" cannot be handled as a Pod: json: spec.nodeName: expected a string, got a number)");
    CHECK(refusal(body_role::applied, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},)"
                                      R"("spec":{"containers":[{"name":"c","imagee":"x"}],"b":1}})") ==
          "failed to create typed patch object (/x; /v1, Kind=Pod): errors:\n  .spec.b: field not declared in schema\n"
          "  .spec.containers[name=\"c\"].imagee: field not declared in schema");
    CHECK(refusal(body_role::applied, R"({"kind":"Pod","kind":"Pod"})") ==
          "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  duplicate field "
          "\"kind\"");
}

TEST_CASE("body check: unknown fields are found in every form that a message has", "[checks]")
{
    CHECK(offline(R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"b"},"ownerReferences":[{"uid":"x"}]},
        "spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}}]}})")
              .empty());
    // An extension of another kind, and the members of a schema inside of a definition.
    CHECK(offline(R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"volumeClaimTemplates":[
        {"kind":"PersistentVolumeClaim","apiVersion":"v1","spec":{"bogus":1}}]}})")
              .ends_with(R"(unknown field "spec.volumeClaimTemplates[0].spec.bogus")"));
    // As kubectl drain and client-go send it.
    CHECK(offline(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"},
        "deleteOptions":{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":1}})")
              .empty());
    CHECK(offline(
              R"({"apiVersion":"policy/v1beta1","kind":"Eviction","deleteOptions":{"kind":"DeleteOptions","bogus":1}})")
              .ends_with(R"(unknown field "deleteOptions.bogus")"));
    CHECK(
        offline(
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":
        {"openAPIV3Schema":{"properties":{"a":{"items":{"bogus":1},"additionalProperties":{"bogus":2},
         "default":{"free":1}}}}}}]}})")
            .ends_with(
                R"(unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.items.bogus", unknown field )"
                R"("spec.versions[0].schema.openAPIV3Schema.properties.a.additionalProperties.bogus")"));
    CHECK(offline(R"({"apiVersion":"v1","kind":"Pod","Spec":{},"metadata":{"clusterName":"x"}})") ==
          R"(Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "Spec", )"
          R"(unknown field "metadata.clusterName")");
    CHECK(offline(R"({"apiVersion":"v1","kind":"Odd"})") == R"(the library has no schema of Odd in "v1")");
    CHECK(check_built_in(json::parse("[]")).error() == cond::invalid);
    // At most a hundred are listed.
    std::string many = R"({"apiVersion":"v1","kind":"Pod")";
    for (int i = 0; i < 300; ++i) many += ",\"x" + std::to_string(i) + "\":1";
    const auto listed = offline((many + '}').c_str());
    CHECK(listed.find("x99\"") != std::string::npos);
    CHECK(listed.find("x100\"") == std::string::npos);
}
