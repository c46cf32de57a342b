// Strategic merge patches: which lists are merged, by which key, in which order, and which patches are refused.
#include "objects/registry.hpp"
#include "patch/patch.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <fstream>
#include <string>

using namespace kubecoro;
namespace json = boost::json;

namespace {

/// Returns the patched object, or the code and message of the refusal.
std::string apply(std::string_view api_version, std::string_view kind, std::string_view before, std::string_view patch)
{
    auto doc = json::parse(before).as_object();
    const auto refused = apiserver::apply_strategic_merge(doc, json::parse(patch).as_object(), api_version, kind);
    return refused ? std::to_string(refused->code) + " " + refused->message : json::serialize(doc);
}

/// The same for the spec of a Pod.
std::string pod(std::string_view before, std::string_view patch)
{
    const auto spec = [](std::string_view s) { return R"({"spec":)" + std::string(s) + "}"; };
    const auto all = apply("v1", "Pod", spec(before), spec(patch));
    return all.starts_with('{') ? all.substr(8, all.size() - 9) : all;
}

std::string finalizers(std::string_view before, std::string_view patch)
{
    const auto all = apply("v1", "ConfigMap", R"({"metadata":{"finalizers":)" + std::string(before) + "}}",
                           R"({"metadata":{)" + std::string(patch) + "}}");
    return all.starts_with('{') ? json::serialize(json::parse(all).at_pointer("/metadata/finalizers")) : all;
}

/// Returns a result as the decoder of Kubernetes leaves it: without nulls and directives.
json::value decoded(const json::value& v)
{
    if (v.is_array()) {
        json::array out;
        for (const auto& item : v.get_array()) out.push_back(decoded(item));
        return out;
    }
    if (!v.is_object()) return v;
    json::object out;
    for (const auto& [key, member] : v.get_object())
        if (!member.is_null() && !key.starts_with('$')) out.emplace(key, decoded(member));
    return out;
}

constexpr std::string_view two = R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})";

} // namespace

TEST_CASE("strategic merge: lists without a merge strategy are replaced", "[apiserver][patch]")
{
    CHECK(pod(R"({"tolerations":[{"key":"a"}]})", R"({"tolerations":[{"key":"b"}]})") ==
          R"({"tolerations":[{"key":"b"}]})");
    CHECK(pod(R"({"containers":[{"name":"c","args":["x"],"envFrom":[{"prefix":"p"}]}]})",
              R"({"containers":[{"name":"c","args":["y"],"envFrom":[{"prefix":"q"}]}]})") ==
          R"({"containers":[{"name":"c","args":["y"],"envFrom":[{"prefix":"q"}]}]})");
    CHECK(apply("apps/v1", "Deployment", R"({"spec":{"selector":{"matchExpressions":[{"key":"a"}]}}})",
                R"({"spec":{"selector":{"matchExpressions":[{"key":"b"}]}}})") ==
          R"({"spec":{"selector":{"matchExpressions":[{"key":"b"}]}}})");
}

TEST_CASE("strategic merge: the same name merges in one kind and is replaced in another", "[apiserver][patch]")
{
    const auto conditions = [](std::string_view api_version, std::string_view kind) {
        return apply(api_version, kind, R"({"status":{"conditions":[{"type":"A","status":"True"}]}})",
                     R"({"status":{"conditions":[{"type":"B","status":"True"}]}})");
    };
    const std::string replaced = R"({"status":{"conditions":[{"type":"B","status":"True"}]}})";
    CHECK(conditions("v1", "Pod").find(R"("type":"A")") != std::string::npos);
    CHECK(conditions("certificates.k8s.io/v1", "CertificateSigningRequest") == replaced);
    CHECK(conditions("apiextensions.k8s.io/v1", "CustomResourceDefinition") == replaced);
    CHECK(apply("v1", "Secret", R"({"secrets":[{"name":"a"}]})", R"({"secrets":[{"name":"b"}]})") ==
          R"({"secrets":[{"name":"b"}]})");
    CHECK(apply("v1", "ServiceAccount", R"({"secrets":[{"name":"a"}]})", R"({"secrets":[{"name":"b"}]})") ==
          R"({"secrets":[{"name":"b"},{"name":"a"}]})");
    CHECK(apply("networking.k8s.io/v1", "NetworkPolicy", R"({"spec":{"egress":[{"ports":[{"port":1}]}]}})",
                R"({"spec":{"egress":[{"ports":[{"port":2}]}]}})") ==
          R"({"spec":{"egress":[{"ports":[{"port":2}]}]}})");
}

TEST_CASE("strategic merge: ports merge by containerPort in containers and by port in services", "[apiserver][patch]")
{
    CHECK(pod(R"({"containers":[{"name":"c","ports":[{"containerPort":80,"name":"web"}]}]})",
              R"({"containers":[{"name":"c","ports":[{"containerPort":80,"protocol":"TCP"}]}]})") ==
          R"({"containers":[{"name":"c","ports":[{"containerPort":80,"name":"web","protocol":"TCP"}]}]})");
    CHECK(apply("v1", "Service", R"({"spec":{"ports":[{"port":80,"name":"web"}]}})",
                R"({"spec":{"ports":[{"port":80,"nodePort":30000}]}})") ==
          R"({"spec":{"ports":[{"port":80,"name":"web","nodePort":30000}]}})");
}

TEST_CASE("strategic merge: of several items with a key the first is changed and all are deleted", "[apiserver][patch]")
{
    const std::string dns = R"({"spec":{"ports":[{"port":53,"protocol":"UDP"},{"port":53,"protocol":"TCP"}]}})";
    CHECK(apply("v1", "Service", dns, R"({"spec":{"ports":[{"port":53,"name":"dns"}]}})") ==
          R"({"spec":{"ports":[{"port":53,"protocol":"UDP","name":"dns"},{"port":53,"protocol":"TCP"}]}})");
    CHECK(apply("v1", "Service", dns, R"({"spec":{"ports":[{"port":53,"$patch":"delete"}]}})") ==
          R"({"spec":{"ports":[]}})");
}

// This would take minutes if a patch could have the same lists merged as often as it likes.
TEST_CASE("strategic merge: items with one key lead to the same lists a limited number of times", "[apiserver][limits]")
{
    const auto numbered = [](int count, const std::string& before, const std::string& after) {
        std::string out;
        for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + before + std::to_string(i) + after;
        return out;
    };
    const auto long_name = std::string(1'000'000, 'x');
    const auto before = R"({"containers":[{"name":"c","env":[)" + numbered(20'000, R"({"name":"v)", "\"}") +
                        R"(],"args":[)" + numbered(20'000, "\"a", "\"") + R"(],"resources":{"limits":{)" +
                        numbered(9'000, "\"r", R"(":"1")") + R"(}},"volumeMounts":[{"mountPath":")" + long_name +
                        "\"}]}]}";
    const auto apply_times = [&](int times, const std::string& change) {
        std::string items;
        for (int i = 0; i < times; ++i) items += std::string(i == 0 ? "" : ",") + R"({"name":"c",)" + change + "}";
        return pod(before, R"({"containers":[)" + items + "]}");
    };
    for (const std::string change : {R"("env":[{"name":"x"}])", R"("$setElementOrder/env":[{"name":"x"}])",
                                     R"("$deleteFromPrimitiveList/args":["x"])", R"("resources":{"limits":{"x":"1"}})",
                                     R"("volumeMounts":[{"mountPath":"x"}])"}) {
        INFO(change);
        CHECK(apply_times(10, change).starts_with("{"));
        CHECK(apply_times(20'000, change) ==
              "413 Request entity too large: the patch changes the same lists too often");
    }
}

TEST_CASE("strategic merge: objects merge, maps lose what is null", "[apiserver][patch]")
{
    CHECK(apply("v1", "ConfigMap", R"({"data":{"a":"1","b":"2"},"metadata":{"labels":{"x":"y"}}})",
                R"({"data":{"a":null,"c":"3"},"metadata":{"labels":{"z":"w"}}})") ==
          R"({"data":{"b":"2","c":"3"},"metadata":{"labels":{"x":"y","z":"w"}}})");
    CHECK(apply("v1", "ConfigMap", "{}", R"({"data":{"a":null,"c":"3"}})") == R"({"data":{"c":"3"}})");
    CHECK(apply("policy/v1", "PodDisruptionBudget", R"({"spec":{"selector":{"matchLabels":{"a":"b"}}}})",
                R"({"spec":{"selector":{"matchLabels":{"c":"d"}}}})") ==
          R"({"spec":{"selector":{"matchLabels":{"c":"d"}}}})");
}

TEST_CASE("strategic merge: an object is replaced or emptied by directive", "[apiserver][patch]")
{
    const auto labels = [](std::string_view patch) {
        return apply("v1", "ConfigMap", R"({"metadata":{"labels":{"a":"1"}}})",
                     R"({"metadata":{"labels":)" + std::string(patch) + "}}");
    };
    CHECK(labels(R"({"$patch":"replace","b":"2"})") == R"({"metadata":{"labels":{"b":"2"}}})");
    CHECK(labels(R"({"$patch":"delete","b":"2"})") == R"({"metadata":{"labels":{}}})");
    CHECK(labels(R"({"$patch":"other"})") == R"(500 unknown patch type: other in map: {"$patch":"other"})");
    CHECK(apply("v1", "ConfigMap", R"({"metadata":{}})", R"({"metadata":{"labels":{"$patch":"delete"}}})") ==
          R"({"metadata":{}})");
}

TEST_CASE("strategic merge: new items carry no directives", "[apiserver][patch]")
{
    const std::string patch = R"({"containers":[{"name":"c","env":[{"name":"A","$patch":"delete"},{"name":"B"}],)"
                              R"("$setElementOrder/env":[{"name":"B"}],"args":null}]})";
    const std::string added = R"({"containers":[{"name":"c","env":[{"name":"B"}]}]})";
    CHECK(pod("{}", patch) == added);
    // Kubernetes takes a new item of a list that exists as it is, and its decoder drops the directives.
    CHECK(pod(R"({"containers":[]})", patch) == R"({"containers":[{"name":"c","env":[{"name":"A"},{"name":"B"}]}]})");
}

TEST_CASE("strategic merge: retainKeys removes the other members", "[apiserver][patch]")
{
    const auto strategy = [](std::string_view patch) {
        return apply("apps/v1", "Deployment",
                     R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}})",
                     R"({"spec":{"strategy":)" + std::string(patch) + "}}");
    };
    CHECK(strategy(R"({"$retainKeys":["type"],"type":"Recreate"})") == R"({"spec":{"strategy":{"type":"Recreate"}}})");
    CHECK(strategy(R"({"$retainKeys":["type"],"type":"Recreate","rollingUpdate":null})") ==
          R"({"spec":{"strategy":{"type":"Recreate"}}})");
    const std::string refused = "400 invalid patch format of retainKeys";
    CHECK(strategy(R"({"$retainKeys":["rollingUpdate"],"type":"Recreate"})") == refused);
    CHECK(strategy(R"({"$retainKeys":"type","type":"Recreate"})") == refused);
    CHECK(pod(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
              R"({"volumes":[{"$retainKeys":["name","hostPath"],"name":"v","hostPath":{"path":"/x"}}]})") ==
          R"({"volumes":[{"name":"v","hostPath":{"path":"/x"}}]})");
}

TEST_CASE("strategic merge: a keyed list keeps the order of both lists", "[apiserver][patch]")
{
    CHECK(pod(two, R"({"containers":[{"name":"b","image":"2"}]})") ==
          R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]})");
    CHECK(pod(two, R"({"containers":[{"name":"b","image":"2"},{"name":"a","image":"2"}]})") ==
          R"({"containers":[{"name":"b","image":"2"},{"name":"a","image":"2"}]})");
    CHECK(pod(two, R"({"containers":[{"name":"c"}]})") ==
          R"({"containers":[{"name":"c"},{"name":"a","image":"1"},{"name":"b","image":"1"}]})");
    CHECK(pod(two, R"({"containers":[{"name":"b"},{"name":"c"}]})") ==
          R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"},{"name":"c"}]})");
}

TEST_CASE("strategic merge: setElementOrder orders what it names", "[apiserver][patch]")
{
    CHECK(pod(two, R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]})") ==
          R"({"containers":[{"name":"b","image":"1"},{"name":"a","image":"1"}]})");
    CHECK(pod(two, R"({"$setElementOrder/containers":[{"name":"a"},{"name":"b"},{"name":"c"}],)"
                   R"("containers":[{"name":"c"}]})") ==
          R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"},{"name":"c"}]})");
    CHECK(pod("{}", R"({"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a"}]})") ==
          R"({"containers":[{"name":"a"}]})");
    CHECK(pod("{}", R"({"$setElementOrder/containers":[{"name":"a"}]})") == "{}");
    CHECK(pod(two, R"({"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"c"}]})")
              .starts_with("500 The order in patch list:"));
    CHECK(pod(two, R"({"$setElementOrder/containers":[{"name":"d"},{"name":"c"}],"containers":[{"name":"c"},)"
                   R"({"name":"d"}]})")
              .starts_with("500 The order in patch list:"));
    CHECK(pod(two, R"({"$setElementOrder/containers":[{"name":"c"}],"containers":[{"name":"c"},{"$patch":"replace"}]})")
              .starts_with("500 The order in patch list:"));
    CHECK(pod(two, R"({"$setElementOrder/containers":"a"})").starts_with("500 expected a []interface {}"));
    CHECK(finalizers(R"(["a","b","c"])", R"("$setElementOrder/finalizers":["c","b"])") == R"(["a","c","b"])");
}

TEST_CASE("strategic merge: a list of scalars that merges is a set", "[apiserver][patch]")
{
    CHECK(finalizers(R"(["a","b"])", R"("finalizers":["b","c","c"])") == R"(["a","b","c"])");
    CHECK(finalizers(R"(["a","b"])", R"("$deleteFromPrimitiveList/finalizers":["b","x"])") == R"(["a"])");
    CHECK(apply("v1", "ConfigMap", R"({"metadata":{"finalizers":["a"]}})",
                R"({"metadata":{"$deleteFromPrimitiveList/finalizers":null}})") == R"({"metadata":{}})");
    CHECK(finalizers(R"(["a","b"])", R"("$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["c"],)"
                                     R"("$setElementOrder/finalizers":["b","c"])") == R"(["b","c"])");
    CHECK(finalizers(R"(["a"])", R"("finalizers":[{"a":1}])") == "500 list element types are not identical");
    CHECK(finalizers(R"(["a"])", R"("finalizers":[1])") == "500 list element types are not identical");
    CHECK(finalizers(R"(["a"])", R"("finalizers":[["a"]])") == "422 lists of lists are not supported");
}

TEST_CASE("strategic merge: items of keyed lists are objects with the key", "[apiserver][patch]")
{
    CHECK(pod(two, R"({"containers":[{"image":"2"}]})") ==
          R"(500 map: {"image":"2"} does not contain declared merge key: name)");
    CHECK(pod(two, R"({"containers":[{"$patch":"delete"}]})") ==
          R"(500 map: {"$patch":"delete"} does not contain declared merge key: name)");
    CHECK(pod(two, R"({"containers":["a"]})") == "500 list element types are not identical");
    CHECK(pod(two, R"({"containers":[{"name":"a","$patch":"merge"}]})").starts_with("500 unknown patch type: merge"));
    CHECK(pod(R"({"containers":[1]})", R"({"containers":[{"name":"a"}]})") ==
          "500 list element types are not identical");
}

TEST_CASE("strategic merge: replace and delete in keyed lists", "[apiserver][patch]")
{
    CHECK(pod(two, R"({"containers":[{"$patch":"replace"},{"name":"c"}]})") == R"({"containers":[{"name":"c"}]})");
    CHECK(pod(two, R"({"containers":[{"name":"a","$patch":"delete"},{"name":"x","$patch":"delete"}]})") ==
          R"({"containers":[{"name":"b","image":"1"}]})");
}

TEST_CASE("strategic merge: without a schema objects merge and lists are replaced", "[apiserver][patch]")
{
    CHECK(apply("example.com/v1", "Shop", R"({"spec":{"a":1,"containers":[{"name":"a"}]}})",
                R"({"spec":{"b":2,"containers":[{"name":"b"}]}})") ==
          R"({"spec":{"a":1,"containers":[{"name":"b"}],"b":2}})");
    CHECK(apply("apps/v1", "ControllerRevision", R"({"data":{"raw":[1],"spec":{"containers":[{"name":"a"}]}}})",
                R"({"data":{"raw":[2],"spec":{"containers":[{"name":"b"}]}}})") ==
          R"({"data":{"raw":[2],"spec":{"containers":[{"name":"b"}]}}})");
}

TEST_CASE("strategic merge: the results are those of Kubernetes", "[apiserver][patch]")
{
    std::ifstream in(KUBECORO_TEST_DATA "/strategic_patches.jsonl");
    std::string line;
    std::size_t merged = 0;
    std::size_t refused = 0;
    while (std::getline(in, line)) {
        const auto row = json::parse(line).as_object();
        INFO(line);
        auto doc = row.at("before").as_object();
        const auto refusal = apiserver::apply_strategic_merge(doc, row.at("patch").as_object(),
                                                              std::string_view(row.at("apiVersion").as_string()),
                                                              std::string_view(row.at("kind").as_string()));
        REQUIRE(refusal.has_value() == row.contains("refused"));
        if (!refusal) REQUIRE(decoded(doc) == decoded(row.at("after")));
        ++(refusal ? refused : merged);
    }
    CHECK(merged > 100);
    CHECK(refused > 10);
}

TEST_CASE("strategic merge: every built-in resource of the server has a schema", "[apiserver][patch]")
{
    namespace schemas = detail::builtin_schemas;
    for (const auto& info : apiserver::builtin_resources())
        for (const auto& version : info.versions) {
            const auto api_version = info.api_version(version.name);
            INFO(api_version << ' ' << info.plural);
            const auto* schema = schemas::find_resource(api_version, info.plural);
            REQUIRE(schema);
            CHECK(schemas::text(schema->kind) == info.kind);
            CHECK(schema->namespaced == info.namespaced);
        }
}
