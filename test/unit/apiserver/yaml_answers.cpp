// Tests of answers in YAML.
#include "support.hpp"

#include <kubecoro/client/detail/yaml_text.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view yaml = "application/yaml";

apiserver::http_response get(server& s, const std::string& target, std::string_view accept = yaml)
{
    auto r = s.ask("GET", target, {}, {{"Accept", std::string(accept)}});
    r.complete_body();
    return r;
}

json::value parsed(const apiserver::http_response& r)
{
    INFO(r.body);
    CHECK(r.header("content-type") == yaml);
    const auto read = detail::parse_yaml(r.body, 100'000);
    REQUIRE(read.has_value());
    return read->value;
}

/// The same answer in JSON.
json::value in_json(server& s, const std::string& target, const std::string& parameters = {})
{
    return json::parse(get(s, target, "application/json" + parameters).body);
}

} // namespace

TEST_CASE("yaml: objects, lists and tables are those of JSON", "[apiserver][media]")
{
    server s;
    for (const std::string name : {"a", "b", "c"}) s.add_config_map("default", name);
    s.expect(
        201, "POST", maps,
        R"({"metadata":{"name":"d","labels":{"x":""}},"data":{"n":"1","yes":"no","l":"a: b\n  c\n","e":"\u001b"}})");
    for (const std::string& target :
         {maps + "/a", maps + "/d", maps, maps + "?limit=2", maps + "?labelSelector=none", std::string("/api/v1/nodes"),
          std::string("/apis"), std::string("/api"), std::string("/apis/apps"), std::string("/apis/apps/v1")}) {
        INFO(target);
        CHECK(parsed(get(s, target)) == in_json(s, target));
    }
    const auto text = get(s, maps + "/a").body;
    CHECK(text.starts_with("apiVersion: v1\n"));
    CHECK(text.find("\nkind: ConfigMap\nmetadata:\n  creationTimestamp: ") != std::string::npos);
    CHECK(get(s, maps + "?labelSelector=none").body.starts_with("apiVersion: v1\nitems: []\nkind: ConfigMapList\n"));
    for (const std::string as : {";as=Table;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"})
        CHECK(parsed(get(s, maps, std::string(yaml) + as)) == in_json(s, maps, as));
    const std::string partial = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    CHECK(parsed(get(s, maps + "/a", std::string(yaml) + partial)) == in_json(s, maps + "/a", partial));
}

TEST_CASE("yaml: answers to writes, and refusals", "[apiserver][media]")
{
    server s;
    const server::headers accept{{"Accept", std::string(yaml)}};
    const auto created = s.ask("POST", maps, R"({"metadata":{"name":"a","bogus":1}})", accept);
    CHECK(created.status == 201);
    CHECK(parsed(created).at_pointer("/metadata/name") == "a");
    CHECK(created.header("warning") == R"(299 - "unknown field \"metadata.bogus\"")");
    const auto missing = get(s, maps + "/none");
    CHECK(missing.status == 404);
    CHECK(parsed(missing).at("reason") == "NotFound");
    const auto watch = get(s, maps + "?watch=1");
    CHECK(watch.status == 406);
    CHECK(parsed(watch).at("message") == "only the following media types are accepted: application/json;stream=watch, "
                                         "application/vnd.kubernetes.protobuf;stream=watch");
    CHECK(parsed(s.ask("DELETE", maps + "/a", {}, accept)).at("status") == "Success");
}

TEST_CASE("yaml: a deep object is not many times its size", "[apiserver][limits]")
{
    server s;
    s.expect(201, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
             R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
             R"({"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
             R"({"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
    const std::string things = "/apis/example.com/v1/namespaces/default/things";
    std::string deep = "[0";
    for (int i = 1; i < 10'000; ++i) deep += ",0";
    deep += R"(,"a\nb"])";
    for (int i = 0; i < 150; ++i) deep = "[" + deep + "]";
    const auto made =
        s.ask("POST", things,
              R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":)" + deep + "}");
    CHECK(made.status == 201);
    for (const auto& target : {things + "/a", things}) {
        const auto text = get(s, target);
        CHECK(text.body.size() < 100'000);
        CHECK(parsed(text) == json::parse(get(s, target, "application/json").body, {}, {.max_depth = 200}));
    }
}

TEST_CASE("yaml: the best clause decides, and wildcards mean JSON", "[apiserver][media]")
{
    server s;
    s.add_config_map("default", "a");
    const auto form = [&](std::string_view accept) {
        return std::string(get(s, maps + "/a", accept).header("content-type"));
    };
    CHECK(form("application/yaml, application/json") == yaml);
    CHECK(form("application/yaml;q=0.5, application/json") == "application/json");
    CHECK(form("*/*") == "application/json");
    // No number has no place in an order.
    CHECK(form("x/y;q=nan, application/json;q=0.1, x/y;q=nan, application/yaml;q=0.9") == yaml);
    CHECK(form("application/yaml;as=Bogus, application/json") == "application/json");
    CHECK(get(s, maps + "/a", "text/yaml").status == 406);
}
