// Conformance cases: requests that few clients make, with the words of the answers.
#include "cluster_under_test.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::conformance;
namespace json = boost::json;

namespace {

/// "422 ConfigMap ...": the code, and the message of a Status.
std::string ask(cluster_under_test& c, const std::string& method, const std::string& target, std::string_view type = {},
                const std::string& body = {})
{
    INFO(method << ' ' << target << ' ' << body);
    const auto got = c.send(method, target, type, body);
    REQUIRE(got);
    std::string out = std::to_string(got->head.status);
    boost::system::error_code failed;
    const auto parsed = json::parse(got->body, failed);
    if (failed || !parsed.is_object() || parsed.as_object().if_contains("status") == nullptr) return out;
    if (const auto* message = parsed.as_object().if_contains("message")) out += " " + std::string(message->as_string());
    return out;
}

constexpr std::string_view json_type = "application/json";
constexpr std::string_view merge = "application/merge-patch+json";
constexpr std::string_view operations = "application/json-patch+json";
constexpr std::string_view strategic = "application/strategic-merge-patch+json";
constexpr std::string_view apply = "application/apply-patch+yaml";

std::string maps(const cluster_under_test& c, const std::string& rest = {})
{
    return "/api/v1/namespaces/" + c.ns() + "/configmaps" + rest;
}

} // namespace

TEST_CASE("paths and methods that are not those of resources", "[conformance][unusual]")
{
    cluster_under_test c;
    REQUIRE(ask(c, "POST", maps(c), json_type, config_map("a")) == "201");
    for (const auto* path : {"/healthz", "/livez", "/readyz", "/readyz/ping", "/apis", "/apis/apps", "/"})
        for (const auto* method : {"GET", "HEAD", "POST"}) CHECK(ask(c, method, path) == "200");
    for (const auto* path : {"/version", "/api", "/api/v1", "/apis/apps/v1"}) {
        CHECK(ask(c, "GET", path) == "200");
        CHECK(ask(c, "HEAD", path) == "405");
        CHECK(ask(c, "POST", path).starts_with("405 the server does not allow this method"));
    }
    for (const auto* path : {"/healthz/", "/nope", "/apis/nope/v1", "/openapi/v2/", "//"})
        for (const auto* method : {"GET", "HEAD"}) CHECK(ask(c, method, path) == "404");
    CHECK(ask(c, "GET", "/api/v1/namespaces/" + c.ns() + "/configmaps%2Fa") == "200");
    CHECK(ask(c, "GET", maps(c, "/a/")) == "200");
    CHECK(ask(c, "GET", maps(c, "/a?x=%zz")) == "200");
    CHECK(ask(c, "GET", maps(c, "/a%2Fb")) == "404 the server could not find the requested resource");
}

TEST_CASE("parameters of lists", "[conformance][unusual]")
{
    cluster_under_test c;
    REQUIRE(ask(c, "POST", maps(c), json_type, config_map("a", "1", R"(,"labels":{"n":"5","e":""})")) == "201");
    const auto list = [&](const std::string& query) { return ask(c, "GET", maps(c, "?" + query)); };
    const auto names = [&](const std::string& selector) {
        request r;
        r.method = "GET";
        r.target = maps(c, "?labelSelector=" + selector);
        r.accept = "application/json";
        const auto got = c.run(c.api().raw(std::move(r)));
        REQUIRE(got);
        return json::parse(got->body).at("items").as_array().size();
    };
    CHECK(list("limit=") == R"(400 strconv.ParseInt: parsing "": invalid syntax)");
    CHECK(list("limit=%2B1") == "200");
    CHECK(list("watch=fAlse") == "200");
    CHECK(list("timeout=abc") == R"(400 invalid timeout specified in the request URL - time: invalid duration "abc")");
    CHECK(list("timeout=5") ==
          R"(400 invalid timeout specified in the request URL - time: missing unit in duration "5")");
    CHECK(names("e%20in%20()") == 1);
    CHECK(names("n%20in%20()") == 0);
    CHECK(names("n>4") == 1);
    CHECK(names("n%3D4;x") == 1); // such a parameter is passed over
    const std::string unable = "400 unable to parse requirement: ";
    CHECK(list("labelSelector=,") == "400 found ',', expected: !, identifier, or 'end of string'");
    CHECK(list("labelSelector=a+b") == unable + "found 'b', expected: in, notin, =, ==, !=, gt, lt");
    CHECK(list("labelSelector=a+in+(") == unable + "found '', expected: ',', ')' or identifier");
    CHECK(list("labelSelector=a%3Ex") ==
          unable + R"(values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer)");
    CHECK(
        list("labelSelector=a%3D-b").starts_with(unable + R"(values[0][a]: Invalid value: "-b": a valid label must)"));
    CHECK(list("labelSelector=a/b/c").starts_with(unable + R"(<nil>: Invalid value: "a/b/c": a valid label key must)"));
    CHECK(ask(c, "GET", maps(c, "/a?export=true")) ==
          "400 the export parameter, deprecated since v1.14, is no longer supported");
    CHECK(ask(c, "GET", "/api/v1/watch/namespaces/" + c.ns() + "/configmaps/a?fieldSelector=metadata.name%3Db") ==
          "400 fieldSelector metadata.name doesn't match requested name");
}

TEST_CASE("answers in YAML", "[conformance][unusual]")
{
    cluster_under_test c;
    REQUIRE(ask(c, "POST", maps(c), json_type, config_map("a")) == "201");
    const auto in_yaml = [&](const std::string& target, int status = 200) {
        request r;
        r.method = "GET";
        r.target = target;
        r.accept = "application/yaml";
        const auto got = c.run(c.api().raw(std::move(r)));
        REQUIRE(got);
        CHECK(got->head.status == status);
        CHECK(got->head.header("content-type") == "application/yaml");
        return got->body;
    };
    const auto object = in_yaml(maps(c, "/a"));
    CHECK(object.starts_with("apiVersion: v1\ndata:\n  "));
    CHECK(object.find("\nkind: ConfigMap\nmetadata:\n  creationTimestamp: \"") != std::string::npos);
    CHECK(in_yaml(maps(c)).starts_with("apiVersion: v1\nitems:\n- data:\n    "));
    CHECK(in_yaml(maps(c, "?labelSelector=none")).starts_with("apiVersion: v1\nitems: []\nkind: ConfigMapList\n"));
    CHECK(in_yaml(maps(c, "/none"), 404).starts_with("apiVersion: v1\ncode: 404\ndetails:\n  kind: configmaps\n"));
    CHECK(in_yaml(maps(c, "?watch=1"), 406).starts_with("apiVersion: v1\ncode: 406\nkind: Status\n"));
    CHECK(in_yaml("/apis/apps").starts_with("apiVersion: v1\nkind: APIGroup\nname: apps\n"));
}

TEST_CASE("bodies that Go reads in its own way", "[conformance][unusual]")
{
    cluster_under_test c;
    const auto post = [&](const std::string& body, std::string_view type = json_type) {
        return ask(c, "POST", maps(c), type, body);
    };
    CHECK(post("null") ==
          R"(422 ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required)");
    CHECK(post(R"({"apiVersion":1,"metadata":{"name":"x"}})")
              .find("cannot unmarshal number into Go struct field .apiVersion of type string") != std::string::npos);
    CHECK(post(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"}})") ==
          R"(400 Deployment in version "v1" cannot be handled as a ConfigMap: converting (v1.Deployment) to )"
          "(core.ConfigMap): unknown conversion");
    CHECK(post(config_map("upper"), "Application/JSON; charset=utf-8") == "201");
    CHECK(post("{\"metadata\":{\"name\":\"t\"},\"data\":{\"a\":\"\xff\"}}") == "201");
    CHECK(post(R"({"metadata":{"name":"n","annotations":{"UP.com/x":"1"}}})") == "201");
    CHECK(post(R"({"metadata":{"name":"v","resourceVersion":"abc"}})") == "201");
    CHECK(
        post(R"({"metadata":{"name":"x","generation":-1}})") ==
        R"(422 ConfigMap "x" is invalid: metadata.generation: Invalid value: -1: must be greater than or equal to 0)");
    CHECK(post(R"({"metadata":{"name":"x","finalizers":["orphan","foregroundDeletion"]}})") ==
          R"(422 ConfigMap "x" is invalid: metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: )"
          "finalizer orphan and foregroundDeletion cannot be both set");
    CHECK(post(R"({"metadata":{"name":"x"},"data":{"a":""},"binaryData":{"a":""}})") ==
          R"(422 ConfigMap "x" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData)");
    const std::string nameless =
        "400 the name of the object (n based on URL) was undeterminable: name must be provided";
    CHECK(ask(c, "PUT", maps(c, "/n"), json_type, "{}") == nameless);
    CHECK(ask(c, "PUT", maps(c, "/n"), json_type,
              R"({"metadata":{"name":"n","deletionTimestamp":"2020-01-01T00:00:00Z"}})")
              .ends_with("field is immutable"));
}

TEST_CASE("patches that change kind, apiVersion or name", "[conformance][unusual]")
{
    cluster_under_test c;
    REQUIRE(ask(c, "POST", maps(c), json_type, config_map("a")) == "201");
    const auto patch = [&](std::string_view type, const std::string& body, const std::string& query = {}) {
        return ask(c, "PATCH", maps(c, "/a" + query), type, body);
    };
    const std::string invalid = R"(422  "" is invalid: patch: Invalid value: "{\")";
    const auto merged = patch(merge, R"({"kind":"Secret","data":null})");
    CHECK(merged.starts_with(invalid));
    CHECK(merged.ends_with("converting (v1.Secret) to (core.ConfigMap): unknown conversion"));
    CHECK(patch(operations, R"([{"op":"replace","path":"/apiVersion","value":"v2"}])")
              .find(R"(no kind "ConfigMap" is registered for version "v2" in scheme)") != std::string::npos);
    CHECK(patch(merge, R"({"data":{"k":1}})")
              .ends_with("json: cannot unmarshal number into Go struct field ConfigMap.data of type string"));
    const std::string nameless =
        "400 the name of the object (a based on URL) was undeterminable: name must be provided";
    for (const auto type : {merge, strategic}) CHECK(patch(type, R"({"metadata":{"name":null}})") == nameless);
    CHECK(patch(merge, R"({"apiVersion":null})") == nameless);
    CHECK(patch(merge, R"({"kind":null})") == "200");
    CHECK(patch(merge, R"({"metadata":{"uid":null}})") == "200");
    CHECK(patch(merge, "null") == "400 Invalid JSON Patch");
    for (const auto* body : {R"({"kind":"Secret","apiVersion":"v9"})", R"({"kind":null})", "null"})
        CHECK(patch(strategic, body) == "200");
    CHECK(patch(operations, "null") == "200");
    CHECK(patch(operations, "[1]") ==
          "400 error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp");
    const auto strict = patch(merge, R"({"bogus":1,"data":{"k":"v","k":"w"}})", "?fieldValidation=Strict");
    CHECK(strict.starts_with(invalid));
    CHECK(strict.ends_with(R"(strict decoding error: duplicate field "data.k", unknown field "bogus")"));
}

TEST_CASE("an apply need not name an object that exists", "[conformance][unusual]")
{
    cluster_under_test c;
    const auto apply_to = [&](const std::string& name, const std::string& metadata) {
        return ask(c, "PATCH", maps(c, "/" + name + "?fieldManager=m"), apply,
                   R"({"apiVersion":"v1","kind":"ConfigMap",)" + metadata + R"("data":{"k":"v"}})");
    };
    CHECK(apply_to("a", "") == "400 the name of the object (a based on URL) was undeterminable: name must be provided");
    CHECK(apply_to("a", R"("metadata":{"name":"a"},)") == "201");
    CHECK(apply_to("a", "") == "200");
    CHECK(apply_to("a", R"("metadata":{"labels":{"x":"y"}},)") == "200");
    CHECK(apply_to("a", R"("metadata":{"name":"b"},)") ==
          "400 the name of the object (b) does not match the name on the URL (a)");
    CHECK(apply_to("a", R"("metadata":{"uid":"x"},)") ==
          R"(422 ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable)");
}

TEST_CASE("options of deletions in the query and in the body", "[conformance][unusual]")
{
    cluster_under_test c;
    for (const auto* name : {"a", "b"}) REQUIRE(ask(c, "POST", maps(c), json_type, config_map(name)) == "201");
    const auto remove = [&](const std::string& rest, const std::string& body = {}) {
        return ask(c, "DELETE", maps(c, rest), json_type, body);
    };
    CHECK(remove("/a?gracePeriodSeconds=") == R"(400 strconv.ParseInt: parsing "": invalid syntax)");
    CHECK(remove("/a?propagationPolicy=").starts_with("422 "));
    CHECK(remove("/a?uid=x").starts_with("409 "));
    CHECK(remove("/a?dryRun=All") == "200");
    CHECK(ask(c, "GET", maps(c, "/a")) == "200");
    // A body takes the place of the parameters.
    CHECK(remove("/a?dryRun=All&uid=x", "{}") == "200");
    CHECK(ask(c, "GET", maps(c, "/a")).starts_with("404"));
    CHECK(remove("/b", "null") == "200");
    const auto pods = "/api/v1/namespaces/" + c.ns() + "/pods";
    REQUIRE(ask(c, "POST", pods, json_type,
                R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})") ==
            "201");
    CHECK(ask(c, "DELETE", pods + "/p?gracePeriodSeconds=-7") == "200");
    request r;
    r.method = "GET";
    r.target = pods + "/p";
    r.accept = "application/json";
    const auto got = c.run(c.api().raw(std::move(r)));
    REQUIRE(got);
    CHECK(json::parse(got->body).at_pointer("/metadata/deletionGracePeriodSeconds") == 1);
    CHECK(ask(c, "DELETE", pods + "/p?gracePeriodSeconds=0") == "200");
}

TEST_CASE("selectors of objects are checked", "[conformance][unusual]")
{
    cluster_under_test c;
    CHECK(ask(c, "POST", "/apis/policy/v1/namespaces/" + c.ns() + "/poddisruptionbudgets", json_type,
              R"({"metadata":{"name":"b"},"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"In"}]}}})") ==
          R"(422 PodDisruptionBudget.policy "b" is invalid: spec.selector.matchExpressions[0].values: Required value: )"
          "must be specified when `operator` is 'In' or 'NotIn'");
    CHECK(ask(c, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", json_type,
              R"({"metadata":{"name":")" + c.unique("r") +
                  R"("},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b c"}}]}})")
              .ends_with("aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.]"));
}
