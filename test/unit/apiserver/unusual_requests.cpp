// Tests of requests that few clients make: odd paths, parameters and methods. The expectations are those of a kube-apiserver.
#include "support.hpp"

#include "request/target.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const server::headers as_json{{"content-type", "application/json"}};

std::string message_of(const json::value& status) { return std::string(status.at("message").as_string()); }

std::string parameters(const apiserver::parsed_target& t)
{
    std::string out;
    for (const auto& [key, value] : t.query) out += key + "=" + value + ";";
    return out;
}

} // namespace

TEST_CASE("targets: escapes, slashes and what clients do not escape", "[apiserver][target]")
{
    using apiserver::parse_target;
    const auto path = [](std::string_view text) { return parse_target(text).value().segments; };
    using strings = std::vector<std::string>;
    CHECK(path("/") == strings{});
    CHECK(path("/api/v1/") == strings{"api", "v1"});
    CHECK(path("//api//v1//") == strings{"", "api", "", "v1"});
    CHECK(path("/%61pi%2Fv1?x/y") == strings{"api", "v1"});
    CHECK(parse_target("/a%2Fb").value().path == "/a/b");
    for (const auto* bad : {"", "api", "/%", "/%4", "/%zz", "/a b", "/a\tb", "/a?b c", "/\x7f"})
        CHECK_FALSE(parse_target(bad));

    const auto query = [](std::string_view text) { return parameters(parse_target(text).value()); };
    CHECK(query("/?") == "");
    CHECK(query("/?a&b=&=c&d=e=f&&a=2") == "a=;b=;=c;d=e=f;a=2;");
    CHECK(query("/?a+b=c+d%2B%20") == "a b=c d+ ;");
    CHECK(query("/?n>4&x=\"{}|^`\\<>\xc3\xa4#") == "n>4=;x=\"{}|^`\\<>\xc3\xa4#;");
    CHECK(query("/?a=%zz&b=1&c;d=2&%4=5&e=%") == "b=1;");
    const auto flags = parse_target("/?a&b=0&c=fAlse&d=no&e=false").value();
    CHECK((flags.flag("a") && flags.flag("d")));
    CHECK_FALSE((flags.flag("b") || flags.flag("c") || flags.flag("e") || flags.flag("x")));
}

TEST_CASE("paths: an escaped slash is one, and a slash at the end is none", "[apiserver][target]")
{
    server s;
    s.add_config_map("default", "a");
    for (const auto* target : {"/api/v1/namespaces/default/configmaps%2Fa", "/api/v1/namespaces/default/configmaps/a/",
                               "/%61pi/v1/namespaces/default/configmaps/a?x=%zz"})
        CHECK(s.expect(200, "GET", target).at_pointer("/metadata/name") == "a");
    CHECK(message_of(s.expect(404, "GET", maps + "/a%2Fb")) == "the server could not find the requested resource");
    for (const auto* target :
         {"//", "/healthz/", "/readyz/ping/", "/openapi/v2/", "/openapi/v3/", "//api/v1", "/nope"}) {
        INFO(target);
        CHECK(s.get(target).status == 404);
        CHECK(s.get(target).body == "404 page not found\n");
    }
    for (const auto* target : {"/version/", "/api/", "/apis/", "/apis/apps/", "/api/v1/", "/apis/apps/v1/"})
        CHECK(s.get(target).status == 200);
}

TEST_CASE("methods: health, discovery of groups and documents answer any; other paths only GET", "[apiserver][target]")
{
    server s;
    for (const std::string method : {"HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
        INFO(method);
        for (const auto* path : {"/", "/healthz", "/livez", "/readyz", "/readyz/ping", "/apis", "/apis/apps",
                                 "/openapi/v2", "/openapi/v3"})
            CHECK(s.ask(method, path).status == 200);
        for (const auto* path : {"/version", "/api", "/api/v1", "/apis/apps/v1"})
            CHECK(s.ask(method, path).status == 405);
        for (const auto* path : {"/nope", "/apis/nope/v1", "/healthz/nope", "/apis/nope"})
            CHECK(s.ask(method, path).status == 404);
    }
    CHECK(s.ask("POST", "/healthz").body == "ok");
    s.token = "guest";
    s.access.add_token("guest", apiserver::access_control::anonymous());
    CHECK(s.ask("GET", "/healthz").status == 200);
    CHECK(s.ask("HEAD", "/healthz").status == 403);
    CHECK(s.ask("POST", "/version").status == 403);
}

TEST_CASE("parameters: numbers, switches and time limits", "[apiserver][list]")
{
    server s;
    for (const std::string name : {"a", "b"}) s.add_config_map("default", name, R"("labels":{"n":"5"})");
    const auto refusal = [&](const std::string& query) { return message_of(s.expect(400, "GET", maps + "?" + query)); };
    CHECK(refusal("limit=") == R"(strconv.ParseInt: parsing "": invalid syntax)");
    CHECK(refusal("timeoutSeconds=%2B-1") == R"(strconv.ParseInt: parsing "+-1": invalid syntax)");
    CHECK(refusal("timeout=abc") == R"(invalid timeout specified in the request URL - time: invalid duration "abc")");
    CHECK(refusal("timeout=5") ==
          R"(invalid timeout specified in the request URL - time: missing unit in duration "5")");
    CHECK(refusal("limit=1&continue=x&resourceVersion=5").starts_with("invalid continue token: "));
    CHECK(s.expect(200, "GET", maps + "?limit=%2B1&timeout=32s").at("items").as_array().size() == 1);
    CHECK(s.expect(200, "GET", maps + "?labelSelector=n>4&watch=fAlse").at("items").as_array().size() == 2);
    CHECK(s.expect(200, "GET", maps + "?labelSelector=n%20in%20()").at("items").as_array().empty());
    CHECK(s.expect(200, "GET", maps + "?labelSelector=n%3D4;x").at("items").as_array().size() == 2);
    CHECK(message_of(s.expect(400, "GET", maps + "/a?export=true")).starts_with("the export parameter"));
    s.expect(200, "GET", maps + "/a?export=false");
    CHECK(message_of(s.expect(422, "POST", maps + "?dryRun=", R"({"metadata":{"name":"c"}})", as_json))
              .ends_with(R"(dryRun: Unsupported value: [""]: supported values: "All")"));
    CHECK(s.get(maps + "?watch=1&continue=x").status == 422);
    CHECK(s.get(maps + "?watch=1&continue=x&resourceVersion=5").status == 200);
    CHECK(s.ask("GET", maps + "/none", {}, {{"accept", "text/html"}}).status == 406);
    CHECK(s.ask("GET", maps + "/a", {}, {{"accept", "application/*"}}).status == 406);
}

TEST_CASE("parameters: a watch of one object by path has selectors for that object only", "[apiserver][watch]")
{
    server s;
    s.add_config_map("default", "a");
    const std::string path = "/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=1&fieldSelector=metadata.";
    for (const auto* other : {"name%3Db", "namespace%3Ddefault", "name!%3Da"})
        CHECK(message_of(s.expect(400, "GET", path + other)) ==
              "fieldSelector metadata.name doesn't match requested name");
    CHECK(s.get(path + "name%3Da").status == 200);
    // Its parameters are checked as those of a list.
    CHECK(message_of(s.expect(422, "GET", path + "name%3Da&sendInitialEvents=true")).ends_with("forbidden for list"));
}

TEST_CASE("bodies: types, names and texts that Go reads in its own way", "[apiserver][bodies]")
{
    server s;
    const auto post = [&](int status, const std::string& body, const server::headers& type = as_json) {
        return s.expect(status, "POST", maps, body, type);
    };
    CHECK(message_of(post(422, "null")).ends_with("name or generateName is required"));
    CHECK(message_of(post(400, R"({"apiVersion":1,"metadata":{"name":"x"}})"))
              .find("cannot unmarshal number into Go struct field .apiVersion of type string") != std::string::npos);
    CHECK(message_of(post(400, R"({"kind":"Bogus","metadata":{"name":"x"}})"))
              .ends_with(R"(no kind "Bogus" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111")"));
    CHECK(
        message_of(post(400, R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"}})")) ==
        R"(Deployment in version "v1" cannot be handled as a ConfigMap: converting (v1.Deployment) to (core.ConfigMap): )"
        "unknown conversion");
    CHECK(message_of(post(400, R"({"apiVersion":"a/b/c","metadata":{"name":"x"}})"))
              .find("unexpected GroupVersion string: a/b/c") != std::string::npos);
    post(201, R"({"metadata":{"name":"upper"}})", {{"content-type", "Application/JSON; charset=utf-8"}});
    post(415, R"({"metadata":{"name":"x"}})", {{"content-type", ";"}});
    CHECK(post(201, "{\"metadata\":{\"name\":\"t\"},\"data\":{\"a\":\"\xff\"}}").at_pointer("/data/a") ==
          "\xef\xbf\xbd");
    post(201, R"({"metadata":{"name":"v","resourceVersion":"abc"}})");
    post(500, R"({"metadata":{"name":"w","resourceVersion":"5"}})");
    post(201, R"({"metadata":{"name":"n","annotations":{"UP.com/x":"1"}}})");
    CHECK(message_of(post(422, R"({"metadata":{"name":"x","annotations":{"a b":"1"}}})"))
              .find(R"(metadata.annotations: Invalid value: "a b": name part must consist)") != std::string::npos);
    CHECK(message_of(post(422, R"({"metadata":{"name":"x","labels":{"a/b/c":"1"}}})")).find("a valid label key must") !=
          std::string::npos);
    CHECK(message_of(post(422, R"({"metadata":{"name":"x","finalizers":["a b/c"]}})"))
              .find(R"(metadata.finalizers: Invalid value: "a b/c": prefix part a lowercase)") != std::string::npos);
    CHECK(message_of(post(422, R"({"metadata":{"name":"x","finalizers":["orphan","foregroundDeletion"]}})"))
              .ends_with(
                  R"(["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set)"));
    CHECK(
        message_of(post(422, R"({"metadata":{"name":"x","generation":-1}})")).ends_with("greater than or equal to 0"));
    CHECK(message_of(post(422, R"({"metadata":{"name":"x"},"data":{"a":""},"binaryData":{"a":""}})"))
              .ends_with(R"(data[a]: Invalid value: "a": duplicate of key present in binaryData)"));
    CHECK(message_of(s.expect(422, "POST", "/api/v1/namespaces", R"({"metadata":{"name":"a.b"}})", as_json))
              .ends_with("must not contain dots"));
}

TEST_CASE("deletions: empty conditions in the query are none, and those in a body are kept", "[apiserver][bodies]")
{
    server s;
    for (const std::string body : {R"({"preconditions":{"uid":""}})", R"({"preconditions":{"resourceVersion":""}})"}) {
        s.add_config_map("default", "a");
        s.expect(409, "DELETE", maps + "/a", body, as_json);
        s.expect(409, "DELETE", maps + "/a?uid=x");
        s.expect(409, "DELETE", maps + "/a?resourceVersion=1");
        s.expect(200, "DELETE", maps + "/a?uid=&resourceVersion=");
    }
}

TEST_CASE("updates: the object has its name, and is not marked as deleted", "[apiserver][bodies]")
{
    server s;
    s.add_config_map("default", "a");
    for (const auto* body : {"{}", "null", R"({"metadata":{"name":""}})"})
        CHECK(message_of(s.expect(400, "PUT", maps + "/a", body, as_json)) ==
              "the name of the object (a based on URL) was undeterminable: name must be provided");
    CHECK(message_of(s.expect(422, "PUT", maps + "/a",
                              R"({"metadata":{"name":"a","deletionTimestamp":"2020-01-01T00:00:00Z"}})", as_json)) ==
          R"(ConfigMap "a" is invalid: metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is )"
          "immutable");
    CHECK(message_of(s.expect(422, "PUT", maps + "/a", R"({"metadata":{"name":"a","deletionGracePeriodSeconds":5}})",
                              as_json)) ==
          R"(ConfigMap "a" is invalid: metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable)");
}

TEST_CASE("patches: kind, apiVersion and name of the object stay", "[apiserver][patch]")
{
    server s;
    s.expect(201, "POST", maps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})", as_json);
    const auto patch = [&](int status, std::string_view kind, const std::string& body, const std::string& query = {}) {
        const auto done = s.expect(status, "PATCH", maps + "/a" + query, body,
                                   {{"content-type", "application/" + std::string(kind)}});
        CHECK(s.expect(200, "GET", maps + "/a").at_pointer("/data/k") == "v");
        return status == 200 ? std::string() : message_of(done);
    };
    constexpr std::string_view merge = "merge-patch+json", operations = "json-patch+json",
                               strategic = "strategic-merge-patch+json";
    const std::string invalid = R"( "" is invalid: patch: Invalid value: "{\")";
    for (const auto& [kind, body] : {std::pair(merge, R"({"kind":"Secret"})"),
                                     std::pair(operations, R"([{"op":"replace","path":"/kind","value":"Secret"}])")}) {
        const auto why = patch(422, kind, body);
        CHECK(why.starts_with(invalid));
        CHECK(why.ends_with(R"(}": converting (v1.Secret) to (core.ConfigMap): unknown conversion)"));
    }
    for (const auto* version : {"v2", "apps/v1"})
        CHECK(patch(422, merge, R"({"apiVersion":")" + std::string(version) + "\"}")
                  .ends_with(R"(no kind "ConfigMap" is registered for version ")" + std::string(version) +
                             R"(" in scheme "pkg/runtime/scheme.go:111")"));
    CHECK(patch(422, merge, R"({"kind":1})").ends_with("number into Go struct field .kind of type string"));
    CHECK(patch(422, merge, R"({"data":{"k":1}})")
              .ends_with("cannot unmarshal number into Go struct field ConfigMap.data of type string"));
    patch(200, merge, R"({"kind":null})");
    const std::string nameless = "the name of the object (a based on URL) was undeterminable: name must be provided";
    for (const auto* body : {R"({"apiVersion":null})", R"({"metadata":null})", R"({"metadata":{"name":null}})"})
        CHECK(patch(400, merge, body) == nameless);
    CHECK(patch(400, operations, R"([{"op":"remove","path":"/metadata/name"}])") == nameless);
    for (const auto kind : {merge, strategic}) {
        patch(200, kind, R"({"metadata":{"uid":null}})");
        CHECK(patch(422, kind, R"({"metadata":{"uid":"x"}})").ends_with("field is immutable"));
    }
    for (const auto* body : {R"({"kind":"Secret","apiVersion":"v9"})", R"({"kind":null})", "null"})
        patch(200, strategic, body);
    patch(422, strategic, R"({"kind":1})");
    patch(200, operations, "null");
    CHECK(patch(400, merge, "null") == "Invalid JSON Patch");
    CHECK(patch(400, merge, "[]")
              .ends_with("json: cannot unmarshal array into Go value of type map[string]interface {}"));
    CHECK(patch(400, operations, "{}").ends_with("object into Go value of type []handlers.jsonPatchOp"));
    CHECK(patch(400, operations, "[1]").ends_with("number into Go value of type handlers.jsonPatchOp"));
    const auto strict = patch(422, merge, R"({"bogus":1,"data":{"k":"v","k":"w"}})", "?fieldValidation=Strict");
    CHECK(strict.starts_with(invalid));
    CHECK(strict.ends_with(R"(strict decoding error: duplicate field "data.k", unknown field "bogus")"));
}

TEST_CASE("selectors: those of budgets, roles and workloads are checked", "[apiserver][bodies]")
{
    server s;
    const auto refusal = [&](const std::string& path, const std::string& name, const std::string& body) {
        return message_of(
            s.expect(422, "POST", path, R"({"metadata":{"name":")" + name + "\"}," + body + "}", as_json));
    };
    const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const std::string in = R"({"matchExpressions":[{"key":"a","operator":"In"}]})";
    CHECK(
        refusal(budgets, "b", R"("spec":{"selector":)" + in + "}") ==
        R"(PodDisruptionBudget.policy "b" is invalid: spec.selector.matchExpressions[0].values: Required value: must be )"
        "specified when `operator` is 'In' or 'NotIn'");
    CHECK(
        refusal(budgets, "b",
                R"("spec":{"selector":{"matchExpressions":[{"key":"-","operator":"Odd","values":["a b"]},)"
                R"({"key":"a","operator":"Exists","values":["b"]}]}})")
            .find(
                R"([spec.selector.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator, )"
                R"(spec.selector.matchExpressions[0].key: Invalid value: "-": name part)") != std::string::npos);
    CHECK(refusal("/apis/rbac.authorization.k8s.io/v1/clusterroles", "r",
                  R"("aggregationRule":{"clusterRoleSelectors":[)" + in + "]}")
              .ends_with("clusterRoleSelectors[0]: Invalid value: null: invalid label selector.]"));
    CHECK(refusal("/apis/apps/v1/namespaces/default/deployments", "d",
                  R"("spec":{"selector":{"matchLabels":{"a":"b c"}},"template":{"metadata":{"labels":{"a":"b c"}},)"
                  R"("spec":{"containers":[{"name":"c","image":"i"}]}}})")
              .find(R"(spec.selector.matchLabels: Invalid value: "b c": a valid label)") != std::string::npos);
}

TEST_CASE("health: each check has a path, and a verbose answer lists all but the excluded ones", "[apiserver][health]")
{
    server s;
    for (const std::string path : {"/livez", "/livez/ping", "/livez/etcd", "/healthz/log", "/readyz/etcd-readiness",
                                   "/readyz/shutdown?verbose", "/readyz?exclude=etcd"}) {
        INFO(path);
        CHECK(s.get(path).body == "ok");
    }
    for (const std::string path : {"/livez/shutdown", "/healthz/informer-sync", "/readyz/etcd/more", "/livez/"})
        CHECK(s.get(path).status == 404);
    CHECK(s.get("/livez?verbose").body == "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n");
    CHECK(s.get("/readyz?verbose").body == "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n"
                                           "[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n");
    CHECK(s.get("/healthz?verbose=0&exclude=etcd&exclude=log").body ==
          "[+]ping ok\n[+]log excluded: ok\n[+]etcd excluded: ok\nhealthz check passed\n");
    CHECK(s.get("/livez?verbose&exclude=no&exclude=no&exclude=an%22y").body ==
          "[+]ping ok\n[+]log ok\n[+]etcd ok\nwarn: some health checks cannot be excluded: no matches for "
          "\"an\\\"y\",\"no\"\nlivez check passed\n");
}
