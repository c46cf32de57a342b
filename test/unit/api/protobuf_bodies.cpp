// Turns JSON bodies of writes into protobuf where both say the same.
#include "values/go_values.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/protobuf_samples.hpp>

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

const schema_kind* kind_of(std::string_view api_version, std::string_view kind)
{
    const auto* found = builtin_schemas::find(api_version, kind);
    REQUIRE(found != nullptr);
    return found;
}

/// The reason why a body stays JSON; "" if it does not.
std::string reason(std::string_view api_version, std::string_view kind, std::string_view json)
{
    const auto made = encode_protobuf_body(json, kind_of(api_version, kind));
    if (made) return {};
    CHECK(made.error() == cond::invalid);
    return made.error().message();
}

std::string pod_reason(std::string_view json) { return reason("v1", "Pod", json); }

/// The object that a server reads, in JSON.
std::string read_back(std::string_view body)
{
    const auto read = decode_protobuf_body(body, "", "", {});
    REQUIRE(read.has_value());
    return read->to_text();
}

} // namespace

TEST_CASE("protobuf bodies: samples of all kinds are encoded as servers encode them", "[protobuf]")
{
    test::protobuf_samples samples;
    decode_options deep;
    deep.limits.max_depth = 400;
    std::size_t encoded = 0, left = 0;
    while (const auto sample = samples.next()) {
        if (!sample->name.starts_with("object ")) continue;
        INFO(sample->name);
        const auto object = decode_object(sample->json, deep);
        REQUIRE(object.has_value());
        const auto body = encode_protobuf_body(sample->json, nullptr);
        if (body) {
            const auto expected = to_protobuf(object->to_json());
            REQUIRE(expected.has_value());
            CHECK(*body == *expected);
            ++encoded;
            continue;
        }
        INFO(body.error().message());
        // Schemas that are nested very deeply, and numbers whose digits no message keeps.
        CHECK((body.error() == cond::corrupt ||
               body.error().message().ends_with("a fraction or a large number in free-form JSON")));
        ++left;
    }
    CHECK(encoded > 1000);
    CHECK(left < 100);
}

TEST_CASE("protobuf bodies: a field that the schema does not have is named", "[protobuf]")
{
    CHECK(pod_reason(R"({"metadata":{"name":"p"},"spec":{}})").empty());
    CHECK(pod_reason(R"({"new":null})") == "new: unknown field");
    CHECK(pod_reason(R"({"metadata":{"clusterName":"x"}})") == "metadata.clusterName: unknown field");
    CHECK(pod_reason(R"({"Spec":{}})") == "Spec: unknown field");
    CHECK(pod_reason(R"({"spec":{"containers":[{},{"ports":[{"new":1}]}]}})") ==
          "spec.containers[1].ports[0].new: unknown field");
    // The sources of a volume are members of the volume.
    CHECK(pod_reason(R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})").empty());
    CHECK(pod_reason(R"({"spec":{"volumes":[{"emptyDir":{"new":1}}]}})") ==
          "spec.volumes[0].emptyDir.new: unknown field");
    CHECK(pod_reason(R"({"spec":{"volumes":[{"new":{}}]}})") == "spec.volumes[0].new: unknown field");
    // Any key of a map is known.
    CHECK(pod_reason(R"({"metadata":{"labels":{"new":"1"}}})").empty());
    CHECK(reason("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                 R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"new":1}}}}}]}})") ==
          "spec.versions[0].schema.openAPIV3Schema.properties.a.new: unknown field");
    for (const auto* either :
         {R"({"items":{"new":1}})", R"({"additionalProperties":{"new":1}})", R"({"dependencies":{"d":{"new":1}}})"})
        CHECK(reason("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                     R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)" + std::string(either) + "}}]}}")
                  .ends_with("new: unknown field"));
    CHECK(reason("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                 R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[{},{"new":1}]}}}]}})")
              .ends_with("items[1].new: unknown field"));
}

TEST_CASE("protobuf bodies: a member that occurs twice stays in JSON, where servers complain", "[protobuf]")
{
    CHECK(pod_reason(R"({"spec":{},"spec":{}})") == "spec: occurs twice");
    CHECK(pod_reason(R"({"metadata":{"labels":{"b":"","a":"","c":"","a":""}}})") == "metadata.labels.a: occurs twice");
    CHECK(pod_reason(R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})").empty());
    CHECK(reason("apps/v1", "ControllerRevision", R"({"revision":1,"data":{"a":[{"b":1,"b":2}]}})") ==
          "data.a[0].b: occurs twice");
}

TEST_CASE("protobuf bodies: the type of a body is the one that is expected, or none", "[protobuf]")
{
    const auto* pod = kind_of("v1", "Pod");
    const auto expected = encode_protobuf_body(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})", pod);
    REQUIRE(expected.has_value());
    CHECK(encode_protobuf_body(R"({"metadata":{"name":"p"}})", pod).value() == *expected);
    CHECK(encode_protobuf_body(" {\"kind\":\"Pod\",\n\"metadata\":{\"name\":\"p\"} }\n", pod).value() == *expected);
    CHECK(read_back(*expected).starts_with(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p")"));
    CHECK(pod_reason(R"({"kind":"Node"})") == R"(kind: expected "Pod")");
    CHECK(pod_reason(R"({"kind":5})") == R"(kind: expected "Pod")");
    CHECK(pod_reason(R"({"apiVersion":"v2"})") == R"(apiVersion: expected "v1")");
    // Without an expected kind, the body says it.
    CHECK(encode_protobuf_body(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})", nullptr).value() ==
          *expected);
    CHECK(encode_protobuf_body(R"({"metadata":{"name":"p"}})", nullptr).error() == cond::invalid);
    CHECK(encode_protobuf_body(R"({"apiVersion":"example.com/v1","kind":"Widget"})", nullptr).error().message() ==
          "a kind without a protobuf form: example.com/v1 Widget");
}

TEST_CASE("protobuf bodies: claim templates may say what they are", "[protobuf]")
{
    const auto set = [](const std::string& type) {
        return reason("apps/v1", "StatefulSet",
                      R"({"spec":{"volumeClaimTemplates":[{)" + type + R"("metadata":{"name":"c"}}]}})");
    };
    CHECK(set("").empty());
    CHECK(set(R"("kind":"PersistentVolumeClaim","apiVersion":"v1",)").empty());
    CHECK(set(R"("kind":"Pod",)") == R"(spec.volumeClaimTemplates[0].kind: expected "PersistentVolumeClaim")");
    CHECK(pod_reason(R"({"spec":{"kind":"PodSpec"}})") == "spec.kind: unknown field");
}

TEST_CASE("protobuf bodies: values that Go reads from JSON in another way stay there", "[protobuf]")
{
    const auto limit = [](const std::string& cpu) {
        return pod_reason(R"({"spec":{"containers":[{"resources":{"limits":{"cpu":)" + cpu + "}}}]}}");
    };
    CHECK(limit(R"("100m")").empty());
    CHECK(limit("2").empty());
    CHECK(limit("null").empty());
    CHECK(limit("0.5").ends_with("limits.cpu: a quantity with a fraction or an exponent that is no string"));
    CHECK(limit("1e3").ends_with("a quantity with a fraction or an exponent that is no string"));
    CHECK(limit(R"(" 1 ")").ends_with("limits.cpu: an unusual quantity"));
    CHECK(limit(R"("x")").ends_with("an unusual quantity"));

    const auto lease = [](const std::string& time) {
        return reason("coordination.k8s.io/v1", "Lease", R"({"spec":{"renewTime":)" + time + "}}");
    };
    CHECK(lease(R"("2026-11-21T06:00:00.000001Z")").empty());
    CHECK(lease("null").empty());
    for (const auto* other : {"2026-11-21T06:00:00Z", "2026-11-21T06:00:00+01:00", "2026-11-21T06:00:00.001+01:00",
                              "2026-11-21T06:00:00.0000001Z"})
        CHECK(lease('"' + std::string(other) + '"') == "spec.renewTime: a time without six digits of fraction");
    CHECK(pod_reason(R"({"metadata":{"creationTimestamp":"2026-11-21T06:00:00Z"}})").empty());

    const auto revision = [](const std::string& data) {
        return reason("apps/v1", "ControllerRevision", R"({"revision":1,"data":)" + data + "}");
    };
    CHECK(revision(R"({"a":[1,-2,"x",null,true,{"b":{}}]})").empty());
    CHECK(revision(R"({"a":[1,0.5]})") == "data.a[1]: a fraction or a large number in free-form JSON");
    CHECK(revision(R"({"a":123456789012345678901})") == "data.a: a fraction or a large number in free-form JSON");

    const auto schema = [](const std::string& maximum) {
        return reason("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                      R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"maximum":)" + maximum + "}}}]}}");
    };
    CHECK(schema("0.1").empty());
    CHECK(schema("1e400").ends_with("maximum: a number out of range"));
}

TEST_CASE("protobuf bodies: a value of the wrong type is for the server to refuse", "[protobuf]")
{
    CHECK(pod_reason(R"({"spec":{"priority":"high"}})") ==
          "spec.priority: expected a whole number of 32 bits, got a string");
    CHECK(pod_reason(R"({"spec":{"containers":{}}})") == "spec.containers: expected an array, got an object");
    CHECK(pod_reason(R"({"spec":[]})") == "spec: expected an object, got an array");
    const auto* pod = kind_of("v1", "Pod");
    for (const auto* text : {"", "{", "[]", "{} x", "null", "\"\\ud800\"", "{\"kind\":\"\xff\"}"})
        CHECK(encode_protobuf_body(text, pod).error() == cond::corrupt);
}

TEST_CASE("protobuf bodies: plain quantities", "[protobuf]")
{
    for (const auto* plain : {"0",  "1",  "-1", "+1",  "007",   "1.5", "100m", "5n",  "5u",  "1k",   "1M",   "1G",
                              "1T", "1P", "1E", "1Ki", "1.5Gi", "2Ti", "1Pi",  "1Ei", "1e3", "1E-3", "1e+03"})
        CHECK(is_plain_quantity(plain));
    for (const auto* other : {"",    "-",  "m",   ".5",     "1.",   "1.m", "1 ",  " 1",  "1K",  "1ki",
                              "1mi", "1e", "1e+", "1e1234", "1e3m", "1x",  "0x1", "--1", "1,5", "1E3i"})
        CHECK_FALSE(is_plain_quantity(other));
}
