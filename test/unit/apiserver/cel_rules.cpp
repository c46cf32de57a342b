// Tests of the rules (x-kubernetes-validations) of custom resources: of definitions, and of writes of objects.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string things = "/apis/example.com/v1/namespaces/default/things";
const server::headers merge{{"Content-Type", std::string(merge_type)}};
const server::headers apply{{"Content-Type", "application/apply-patch+yaml"}};

std::string version(const std::string& name, const std::string& schema, bool storage = true)
{
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.n","statusReplicasPath":".status.n"}},)"
           R"("schema":{"openAPIV3Schema":)" +
           schema + "}}";
}

std::string definition(const std::string& versions)
{
    return R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
           R"({"plural":"things","kind":"Thing"},"versions":[)" +
           versions + "]}}";
}

/// A rule of the whole object, and rules of the specification's `n`.
std::string schema_with(const std::string& rules_of_n, const std::string& rules = {})
{
    return R"({"type":"object","x-kubernetes-validations":[)" + rules +
           R"(],"properties":{"spec":{"type":"object","properties":{"n":{"type":"integer","x-kubernetes-validations":[)" +
           rules_of_n +
           R"(]},"mode":{"type":"string","enum":["on"]},"text":{"type":"string"}}},"status":{"type":"object",)"
           R"("properties":{"n":{"type":"integer"}}}}})";
}

/// "field: message" of each cause of a refusal, in their order.
std::vector<std::string> causes(const apiserver::http_response& r)
{
    INFO(r.body);
    CHECK(r.status == 422);
    std::vector<std::string> out;
    const auto status = json::parse(r.body);
    for (const auto& cause : status.at_pointer("/details/causes").as_array())
        out.push_back(std::string(cause.at("field").as_string()) + ": " + std::string(cause.at("message").as_string()));
    return out;
}

std::vector<std::string> warnings(const apiserver::http_response& r)
{
    INFO(r.body);
    CHECK(r.status < 300);
    std::vector<std::string> out;
    for (const auto& [name, value] : r.headers)
        if (name == "Warning") out.push_back(value);
    return out;
}

std::string thing(const std::string& spec, const std::string& name = "a")
{
    return R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":")" + name + R"("},"spec":)" + spec +
           "}";
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("rules: each way to write an object is checked, with the old value", "[apiserver][rules]")
{
    server s;
    s.expect(
        201, "POST", crds,
        definition(version("v1", schema_with(R"({"rule":"self >= oldSelf","message":"never smaller"},)"
                                             R"({"rule":"self != 7","reason":"FieldValueForbidden"})",
                                             R"({"rule":"!has(self.status) || self.status.n <= self.spec.n",)"
                                             R"r("fieldPath":".status.n","messageExpression":"'at most %d'.format()r"
                                             R"r([self.spec.n])"},{"rule":"self.metadata.name != 'bad'"})r"))));
    const texts no_seven{"spec.n: Forbidden: failed rule: self != 7"};
    CHECK(causes(s.ask("POST", things, thing(R"({"n":7})"))) == no_seven);
    CHECK(causes(s.ask("PATCH", things + "/a?fieldManager=m", thing(R"({"n":7})"), apply)) == no_seven);
    CHECK(causes(s.ask("POST", things, thing(R"({"n":7})", "bad"))) ==
          texts{"<nil>: Invalid value: failed rule: self.metadata.name != 'bad'", no_seven.front()});

    auto made = s.expect(201, "POST", things, thing(R"({"n":5})"));
    const texts smaller{"spec.n: Invalid value: 4: never smaller"};
    made.at("spec").as_object()["n"] = 4;
    CHECK(causes(s.ask("PUT", things + "/a", json::serialize(made))) == smaller);
    CHECK(causes(s.ask("PATCH", things + "/a", R"({"spec":{"n":4}})", merge)) == smaller);
    CHECK(causes(s.ask("PATCH", things + "/a?fieldManager=m&force=true", thing(R"({"n":4})"), apply)) == smaller);
    CHECK(causes(s.ask("PATCH", things + "/a/scale", R"({"spec":{"replicas":4}})", merge)) == smaller);
    CHECK(causes(s.ask("PATCH", things + "/a/status", R"({"status":{"n":6}})", merge)) ==
          texts{"status.n: Invalid value: at most 5"});
    CHECK(s.ask("PATCH", things + "/a/status", R"({"status":{"n":5}})", merge).status == 200);
    CHECK(s.ask("PATCH", things + "/a?dryRun=All", R"({"spec":{"n":7}})", merge).status == 422);
    CHECK(s.ask("PATCH", things + "/a", R"({"spec":{"n":6}})", merge).status == 200);
}

TEST_CASE("rules: they are left alone where the object is wrong otherwise, but for bounds", "[apiserver][rules]")
{
    server s;
    s.expect(201, "POST", crds, definition(version("v1", schema_with(R"({"rule":"self != 7"})"))));
    const std::string not_checked = "<nil>: Invalid value: null: some validation rules were not checked because the "
                                    "object was invalid; correct the existing errors to complete validation";
    CHECK(causes(s.ask("POST", things, thing(R"({"n":7,"mode":"off"})"))) ==
          texts{R"(spec.mode: Unsupported value: "off": supported values: "on")", not_checked});
    CHECK(causes(s.ask("POST", things, thing(R"({"n":"7"})"))).back() == not_checked);
    const auto both = causes(s.ask("POST", things, thing(R"({"n":7})", "-")));
    REQUIRE(both.size() == 2);
    CHECK(both[0].starts_with("metadata.name: Invalid value"));
    CHECK(both[1] == "spec.n: Invalid value: 7: failed rule: self != 7");
}

TEST_CASE("rules: a value that breaks a new rule may stay, with a warning", "[apiserver][rules]")
{
    server s;
    s.expect(201, "POST", crds, definition(version("v1", schema_with(R"({"rule":"true"})"))));
    s.expect(201, "POST", things, thing(R"({"n":1})"));
    const std::string rules = R"({"rule":"self > 5","message":"small"},{"rule":"self > \n5","message":"lines"},)"
                              R"({"rule":"self > 5","messageExpression":"'a\\tb'"})";
    s.patch(crds + "/things.example.com", R"({"spec":{"versions":[)" + version("v1", schema_with(rules)) + "]}}");
    // Control characters cannot be in a header.
    CHECK(warnings(s.ask("PATCH", things + "/a", R"({"spec":{"text":"x"}})", merge)) ==
          texts{R"(299 - "spec.n: Invalid value: 1: small")", R"(299 - "spec.n: Invalid value: 1: lines")"});
    CHECK(
        causes(s.ask("PATCH", things + "/a", R"({"spec":{"n":2}})", merge)) ==
        texts{"spec.n: Invalid value: 2: small", "spec.n: Invalid value: 2: lines", "spec.n: Invalid value: 2: a\tb"});
}

TEST_CASE("rules: each version has its own", "[apiserver][rules]")
{
    server s;
    s.expect(201, "POST", crds,
             definition(version("v1", schema_with(R"({"rule":"self != 7"})")) + "," +
                        version("v2", schema_with(R"({"rule":"self != 8"})"), false)));
    CHECK(causes(s.ask("POST", things, thing(R"({"n":7})"))).size() == 1);
    CHECK(s.ask("POST", things, thing(R"({"n":8})")).status == 201);
    const std::string second = "/apis/example.com/v2/namespaces/default/things/a";
    CHECK(s.ask("PATCH", second, R"({"spec":{"n":7}})", merge).status == 200);
    CHECK(causes(s.ask("PATCH", second, R"({"spec":{"n":8}})", merge)).size() == 1);
}

TEST_CASE("rules: a definition whose rules do not compile is refused, new or changed", "[apiserver][rules]")
{
    server s;
    const auto wrong = definition(version("v1", schema_with(R"({"rule":"self.x < 1","message":"<"})")));
    const texts words{
        "spec.validation.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-validations[0].rule: Invalid "
        "value: "
        R"({"Rule":"self.x \u003c 1","Message":"\u003c","MessageExpression":"","Reason":null,"FieldPath":"",)"
        R"("OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: type 'int' does not support field selection)"
        "\n | self.x < 1\n | ....^"};
    CHECK(causes(s.ask("POST", crds, wrong)) == words);
    s.expect(201, "POST", crds, definition(version("v1", schema_with(R"({"rule":"true"})"))));
    CHECK(causes(s.ask("PATCH", crds + "/things.example.com", wrong, merge)) == words);
    CHECK(causes(s.ask("PATCH", crds + "/things.example.com",
                       definition(version("v1", schema_with(R"({"rule":"true","fieldPath":".b"})"))), merge)) ==
          texts{"spec.validation.openAPIV3Schema.properties[spec].properties[n].x-kubernetes-validations[0].fieldPath: "
                R"(Invalid value: ".b": must be a valid path)"});
}

TEST_CASE("rules: what they say of a large object is bounded, and so is their cost", "[apiserver][rules][limits]")
{
    server s;
    const std::string members = R"({"type":"object","additionalProperties":{"type":"object","additionalProperties":)"
                                R"({"type":"integer","x-kubernetes-validations":[{"rule":"self > 1"}]}}})";
    s.expect(201, "POST", crds,
             definition(R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
                        R"("properties":{"spec":)" +
                        members + "}}}}"));
    std::string spec = R"({")" + std::string(100'000, 'n') + R"(":{"m":0)";
    for (int i = 0; i < 2'000; ++i) spec += R"(,"f)" + std::to_string(i) + R"(":1)";
    const auto refused = s.ask("POST", things, thing(spec + "}}"));
    CHECK(refused.status == 422);
    CHECK(refused.body.size() < 4'000'000);
}
