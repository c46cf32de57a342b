// Tests of CustomResourceDefinitions: validation, name conflicts, and kinds with the names of built-in kinds.
#include "support.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string any_object = R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})";

struct definition
{
    std::string plural;
    std::string kind;
    std::string group = "example.com";
    std::string schema = any_object;
    std::string annotations = {};
    std::string scope = "Namespaced";
    std::string more_names = {};

    [[nodiscard]] std::string text() const
    {
        return R"({"metadata":{"name":")" + plural + "." + group + R"(","annotations":{)" + annotations +
               R"(}},"spec":{"group":")" + group + R"(","scope":")" + scope + R"(","names":{"plural":")" + plural +
               R"(","kind":")" + kind + "\"" + more_names +
               R"(},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)" + schema +
               "}}]}}";
    }
};

std::string condition(const json::value& crd, std::string_view type)
{
    for (const auto& c : crd.at_pointer("/status/conditions").as_array())
        if (c.at("type") == json::value(type))
            return std::string(c.at("status").as_string()) + " " + std::string(c.at("reason").as_string()) + ": " +
                   std::string(c.at("message").as_string());
    return {};
}

std::string why(const apiserver::http_response& r)
{
    return std::string(json::parse(r.body).at("message").as_string());
}

} // namespace

TEST_CASE("crd: a custom kind with the name of a built-in kind is an ordinary custom resource", "[apiserver][crd]")
{
    server s;
    for (const std::string kind : {"CustomResourceDefinition", "Namespace", "Pod", "Secret", "Deployment", "Job",
                                   "ConfigMap", "Event", "Lease", "Service", "Node"}) {
        INFO(kind);
        const std::string plural =
            "things" + std::to_string(kind.size()) + std::string(1, static_cast<char>(kind[0] + 32));
        const std::string all = "/apis/example.com/v1/namespaces/default/" + plural;
        const bool cluster = kind == "Namespace";
        const std::string at = cluster ? "/apis/example.com/v1/" + plural : all;
        s.expect(201, "POST", crds,
                 definition{plural, kind, "example.com", any_object, "", cluster ? "Cluster" : "Namespaced"}.text());
        const std::string begin = R"({"apiVersion":"example.com/v1","kind":")" + kind + R"(","metadata":{)";
        // Neither defaults nor rules of the built-in kind apply: an unusual body is stored unchanged.
        const auto made = s.expect(201, "POST", at, begin + R"("name":"kube-public"},"spec":7,"data":[1]})");
        CHECK(made.at("spec") == 7);
        CHECK(json::serialize(made.at("data")) == "[1]");
        CHECK(s.ask("PUT", at + "/kube-public/finalize", "{}").status == 404);
        const auto table = s.expect(200, "GET", at, {}, {{"Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"}});
        CHECK(table.at("columnDefinitions").as_array().size() == 2);
        s.expect(200, "DELETE", at + "/kube-public");
        CHECK(s.get(at + "/kube-public").status == 404);
        s.expect(201, "POST", at, begin + R"("name":"again"}})");
        CHECK(s.ask("DELETE", at).status == 200);
        s.expect(200, "DELETE", crds + "/" + plural + ".example.com");
    }
    CHECK(s.expect(200, "GET", "/api/v1/namespaces/kube-public").at_pointer("/status/phase") == "Active");
    CHECK(s.expect(200, "GET", crds).at("items").as_array().empty());
}

TEST_CASE("crd: plurals of built-in resources get no built-in rules or selectable field defaults", "[apiserver][crd]")
{
    server s;
    auto text = definition{"services", "Service", "example.com",
                           R"({"type":"object","properties":{"spec":{"type":"object","properties":{)"
                           R"("hostNetwork":{"type":"boolean"}}}}})"}
                    .text();
    text.insert(text.rfind("}]}}"), R"(,"selectableFields":[{"jsonPath":".spec.hostNetwork"}])");
    s.expect(201, "POST", crds, text);
    const std::string at = "/apis/example.com/v1/namespaces/default/services";
    s.expect(201, "POST", at, R"({"apiVersion":"example.com/v1","kind":"Service","metadata":{"name":"a.b"}})");
    CHECK(s.expect(200, "GET", at + "?fieldSelector=spec.hostNetwork%3Dfalse").at("items").as_array().empty());
    CHECK(s.expect(200, "GET", at + "?fieldSelector=spec.hostNetwork%3D").at("items").as_array().size() == 1);
}

TEST_CASE("crd: built-in and protected groups cannot be claimed", "[apiserver][crd]")
{
    server s;
    const auto refused = [&](definition d) {
        const auto r = s.ask("POST", crds, d.text());
        CHECK(r.status == 422);
        return why(r);
    };
    CHECK(refused({"deployments", "Deployment", "apps"}).find("should be a domain with at least one dot") !=
          std::string::npos);
    CHECK(refused({"pods", "Pod", "Example.com"}).find("spec.group: Invalid value") != std::string::npos);
    CHECK(refused({"leases", "Lease", "coordination.k8s.io", any_object,
                   R"("api-approved.kubernetes.io":"https://example.com/pull/1")"})
              .find("belongs to built-in resources") != std::string::npos);
    CHECK(
        refused({"things", "Thing", "unserved.k8s.io"})
            .find(R"(metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have)") !=
        std::string::npos);
    CHECK(refused({"things", "Thing", "k8s.io", any_object, R"("api-approved.kubernetes.io":"maybe")"})
              .find("with either a URL or a reason") != std::string::npos);
    s.expect(201, "POST", crds,
             definition{"things", "Thing", "unserved.k8s.io", any_object,
                        R"("api-approved.kubernetes.io":"unapproved, a test")"}
                 .text());
    s.expect(
        201, "POST", crds,
        definition{"things", "Thing", "x.k8s.io", any_object, R"("api-approved.kubernetes.io":"https://example.com/1")"}
            .text());
    CHECK(s.expect(200, "GET", "/apis/apps/v1/deployments").at("kind") == "DeploymentList");
}

TEST_CASE("crd: a schema is validated on creation", "[apiserver][crd]")
{
    server s;
    const auto answer = [&](const std::string& schema) {
        return s.ask("POST", crds, definition{"things", "Thing", "example.com", schema}.text());
    };
    for (const std::string not_an_object : {"5", "[]", "\"x\"", "true"}) {
        const auto r = answer(not_an_object);
        CHECK(r.status == 400);
        CHECK(why(r).find("into Go struct field CustomResourceValidation.spec.versions.schema.openAPIV3Schema of type "
                          "v1.JSONSchemaProps") != std::string::npos);
    }
    for (const std::string wrong_type_inside :
         {R"({"type":"object","properties":[]})", R"({"type":"object","properties":{"a":5}})", R"({"type":7})",
          R"({"type":"object","required":"a"})", R"({"type":"array","items":3})",
          R"({"type":"object","additionalProperties":3})"}) {
        INFO(wrong_type_inside);
        const auto r = answer(wrong_type_inside);
        CHECK(r.status == 400);
        // The words of a kube-apiserver, and not of the check that every stored object passes.
        CHECK(why(r).find("into Go struct field JSONSchemaProps.") != std::string::npos);
    }
    const auto refused = [&](const std::string& schema) {
        const auto r = answer(schema);
        CHECK(r.status == 422);
        return why(r);
    };
    CHECK(refused("null").find("schema.openAPIV3Schema: Required value") != std::string::npos);
    CHECK(refused("{}").find("type: Required value: must not be empty at the root") != std::string::npos);
    CHECK(refused(R"({"type":"array","items":{"type":"string"}})").find("must be object at the root") !=
          std::string::npos);
    CHECK(refused(R"({"type":"object","properties":{"a":{"type":"text"}}})")
              .find(R"(properties[a].type: Unsupported value: "text")") != std::string::npos);
    CHECK(refused(R"({"type":"object","properties":{"a":{}}})").find("must not be empty for specified object fields") !=
          std::string::npos);
    CHECK(refused(R"({"type":"object","properties":{"a":{"type":"array"}}})").find("items: Required value") !=
          std::string::npos);
    CHECK(refused(R"({"type":"object","properties":{"a":{"type":"array","items":[{}]}}})").find("not an array") !=
          std::string::npos);
    CHECK(refused(R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},)"
                  R"("additionalProperties":{"type":"string"}}}})")
              .find("mutual exclusive") != std::string::npos);
    CHECK(refused(R"({"type":"object","uniqueItems":true})").find("quadratic") != std::string::npos);
    CHECK(answer(R"({"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true},"b":)"
                 R"({"x-kubernetes-preserve-unknown-fields":true},"c":{"type":"array","items":{"type":"string"}}}})")
              .status == 201);
}

TEST_CASE("crd: a default matches the schema it belongs to, or the definition is refused", "[apiserver][crd]")
{
    server s;
    const auto schema = [](const std::string& of_a) {
        return R"({"type":"object","properties":{"spec":{"type":"object","properties":{"a":)" + of_a + "}}}}";
    };
    const std::string here = "spec.validation.openAPIV3Schema.properties[spec].properties[a]";
    const std::pair<std::string, std::string> wrong[] = {
        {R"({"type":"integer","default":"x"})",
         here + ".default: Invalid value: \"string\":  in body must be of type integer: \"string\""},
        {R"({"type":"integer","minimum":2,"default":1})",
         here + ".default: Invalid value: 1:  in body should be greater than or equal to 2"},
        {R"({"type":"string","enum":["x","y"],"default":"z"})",
         here + ".default: Unsupported value: \"z\": supported values: \"x\", \"y\""},
        {R"({"type":"array","items":{"type":"string","default":7}})",
         here + ".items.default: Invalid value: \"integer\":  in body must be of type string: \"integer\""},
        {R"({"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"default":{}})",
         here + ".default.b: Required value"},
        {R"({"type":"object","properties":{"b":{"type":"string"}},"default":{"kind":"x"}})",
         here + ".default: Invalid value: {\"kind\":\"x\"}: must not have unknown fields"},
    };
    for (const auto& [of_a, complaint] : wrong) {
        CAPTURE(of_a);
        const auto r = s.ask("POST", crds, definition{"things", "Thing", "example.com", schema(of_a)}.text());
        CHECK(r.status == 422);
        CHECK(why(r) ==
              "CustomResourceDefinition.apiextensions.k8s.io \"things.example.com\" is invalid: " + complaint);
    }
    for (
        const std::string right :
        {R"({"type":"integer","nullable":true,"default":1})", R"({"type":"string","default":null})",
         R"({"x-kubernetes-int-or-string":true,"default":"50%"})",
         R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"default":{"b":[1]}})",
         R"({"type":"array","items":{"type":"object","properties":{"c":{"type":"number"}}},"default":[{"c":1.5},{}]})"}) {
        CAPTURE(right);
        s.expect(201, "POST", crds, definition{"things", "Thing", "example.com", schema(right)}.text());
        s.expect(200, "DELETE", crds + "/things.example.com");
    }
    s.expect(201, "POST", crds,
             definition{"things", "Thing", "example.com", schema(R"({"type":"integer","default":1})")}.text());
    const auto updated = s.ask("PATCH", crds + "/things.example.com",
                               R"([{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/)"
                               R"(properties/a/default","value":"one"}])",
                               {{"content-type", "application/json-patch+json"}});
    CHECK(updated.status == 422);
    CHECK(why(updated).find(here + ".default: Invalid value: \"string\"") != std::string::npos);
}

TEST_CASE("crd: what is wrong with one of several schemas names its version", "[apiserver][crd]")
{
    server s;
    const auto version = [](const std::string& name, const std::string& type) {
        return R"({"name":")" + name + R"(","served":true,"storage":)" + (name == "v1" ? "true" : "false") +
               R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":")" + type +
               R"(","default":"x"}}}}})";
    };
    const auto complaint = [&](const std::string& first, const std::string& second) {
        const auto r = s.ask("POST", crds,
                             R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com",)"
                             R"("scope":"Cluster","names":{"plural":"things","kind":"Thing"},"versions":[)" +
                                 version("v1", first) + "," + version("v2", second) + "]}}");
        CHECK(r.status == 422);
        return why(r);
    };
    const auto one = complaint("string", "integer");
    CHECK(one.find("invalid: spec.versions[1].schema.openAPIV3Schema.properties[a].default: ") != std::string::npos);
    const auto both = complaint("integer", "integer");
    CHECK(both.find("invalid: spec.validation.openAPIV3Schema.properties[a].default: ") != std::string::npos);
    CHECK(both.find("spec.versions") == std::string::npos);
}

TEST_CASE("crd: names of another definition of the group are not accepted until they are free", "[apiserver][crd]")
{
    server s;
    s.expect(201, "POST", crds, definition{"widgets", "Widget"}.text());
    s.expect(201, "POST", crds, definition{"gadgets", "Widget"}.text());
    const std::string second = crds + "/gadgets.example.com";
    auto waiting = s.expect(200, "GET", second);
    CHECK(condition(waiting, "NamesAccepted") == R"(False ListKindConflict: "WidgetList" is already in use)");
    CHECK(condition(waiting, "Established") == "False NotAccepted: not all names are accepted");
    CHECK(waiting.at_pointer("/status/acceptedNames/plural") == "gadgets");
    CHECK_FALSE(waiting.at_pointer("/status/acceptedNames").as_object().contains("listKind"));
    CHECK(s.get("/apis/example.com/v1/gadgets").status == 404);

    s.expect(201, "POST", crds, definition{"widgets", "Widget", "other.org"}.text());
    CHECK(condition(s.expect(200, "GET", crds + "/widgets.other.org"), "NamesAccepted") ==
          "True NoConflicts: no conflicts found");

    s.expect(201, "POST", crds,
             definition{"doodads", "Doodad", "example.com", any_object, "", "Namespaced",
                        R"(,"shortNames":["dd","widgets"])"}
                 .text());
    CHECK(condition(s.expect(200, "GET", crds + "/doodads.example.com"), "NamesAccepted") ==
          R"(False ShortNamesConflict: "widgets" is already in use)");

    s.expect(200, "DELETE", crds + "/widgets.example.com");
    waiting = s.expect(200, "GET", second);
    CHECK(condition(waiting, "NamesAccepted") == "True NoConflicts: no conflicts found");
    CHECK(condition(waiting, "Established").starts_with("True InitialNamesAccepted"));
    CHECK(s.get("/apis/example.com/v1/gadgets").status == 200);
    CHECK(s.get("/apis/example.com/v1/doodads").status == 200);
}

TEST_CASE("crd: names that were accepted stay taken, served or not", "[apiserver][crd]")
{
    server s;
    auto hidden = definition{"widgets", "Widget"}.text();
    hidden.replace(hidden.find(R"("served":true)"), 13, R"("served":false)");
    s.expect(201, "POST", crds, hidden);
    CHECK(s.get("/apis/example.com/v1/widgets").status == 404);
    s.expect(201, "POST", crds, definition{"gadgets", "Widget"}.text());
    CHECK(condition(s.expect(200, "GET", crds + "/gadgets.example.com"), "NamesAccepted") ==
          R"(False ListKindConflict: "WidgetList" is already in use)");
    // The plural of the second was accepted, though it is not established.
    s.expect(
        201, "POST", crds,
        definition{"doodads", "Doodad", "example.com", any_object, "", "Namespaced", R"(,"shortNames":["gadgets"])"}
            .text());
    CHECK(condition(s.expect(200, "GET", crds + "/doodads.example.com"), "NamesAccepted") ==
          R"(False ShortNamesConflict: "gadgets" is already in use)");
}

TEST_CASE("crd: a definition that waits frees its names when it is deleted", "[apiserver][crd]")
{
    server s;
    s.expect(201, "POST", crds, definition{"widgets", "Widget"}.text());
    s.expect(201, "POST", crds, definition{"gadgets", "Widget"}.text());
    s.expect(
        201, "POST", crds,
        definition{"doodads", "Doodad", "example.com", any_object, "", "Namespaced", R"(,"shortNames":["gadgets"])"}
            .text());
    CHECK(s.get("/apis/example.com/v1/doodads").status == 404);
    s.expect(200, "DELETE", crds + "/gadgets.example.com");
    CHECK(s.get("/apis/example.com/v1/doodads").status == 200);
}

TEST_CASE("crd: of several definitions that wait for a name, the first gets it", "[apiserver][crd]")
{
    server s;
    s.expect(201, "POST", crds, definition{"widgets", "Widget"}.text());
    for (const char* plural : {"b", "c", "d"}) s.expect(201, "POST", crds, definition{plural, "Widget"}.text());
    const auto served = [&] {
        std::string out;
        for (const std::string plural : {"b", "c", "d"})
            if (s.get("/apis/example.com/v1/" + plural).status == 200) out += plural;
        return out;
    };
    CHECK(served().empty());
    s.expect(200, "DELETE", crds + "/widgets.example.com");
    CHECK(served() == "b");
    CHECK(condition(s.expect(200, "GET", crds + "/c.example.com"), "NamesAccepted") ==
          R"(False ListKindConflict: "WidgetList" is already in use)");
    // A name that a client takes back is free.
    s.expect(200, "DELETE", crds + "/b.example.com");
    CHECK(served() == "c");
}

TEST_CASE("crd: each definition that waits is parsed once when names become free", "[apiserver][crd]")
{
    // Takes minutes if all of them are parsed for each.
    constexpr int count = 4'000;
    server small;
    small.expect(201, "POST", crds, definition{"a", "Widget"}.text());
    small.expect(201, "POST", crds, definition{"b", "Widget"}.text());
    std::string dump;
    for (auto rest = small.state.dump(); !rest.empty();) {
        const auto line = rest.substr(0, rest.find('\n') + 1);
        rest.erase(0, line.size());
        const bool waits = line.find(R"("name":"b.example.com")") != std::string::npos;
        for (int i = 0; i < (waits ? count : 1); ++i) {
            auto object = line;
            for (const std::string name : {R"("b.example.com")", R"("plural":"b")"})
                for (auto at = object.find(name); waits && at != std::string::npos; at = object.find(name))
                    object.insert(at + name.find("b"), "x" + std::to_string(i));
            dump += object;
        }
    }
    server s;
    REQUIRE(s.state.restore(dump, s.now));
    s.expect(200, "DELETE", crds + "/a.example.com");
    CHECK(s.get("/apis/example.com/v1/x0b").status == 200);
    CHECK(s.get("/apis/example.com/v1/x1b").status == 404);
}

TEST_CASE("crd: a schema that is stored may stay although a rule of it costs too much", "[apiserver][crd]")
{
    const auto with = [](const std::string& most) {
        const std::string rule = "self.all(a, self.exists(b, b >= a))";
        return definition{"widgets", "Widget", "example.com",
                          R"({"type":"object","properties":{"spec":{"type":"array","maxItems":)" + most +
                              R"(,"items":{"type":"integer"},"x-kubernetes-validations":[{"rule":")" + rule + "\"}]}}}"}
            .text();
    };
    // As another version of the server has stored it.
    const auto stored = [&](server& s, const std::string& most) {
        server before;
        before.expect(201, "POST", crds, with("10"));
        auto dump = before.state.dump();
        const std::string cheap = R"("maxItems":10)";
        REQUIRE(dump.find(cheap) != std::string::npos);
        dump.replace(dump.find(cheap), cheap.size(), R"("maxItems":)" + most);
        REQUIRE(s.state.restore(dump, s.now));
    };
    const auto change = [](server& s, const std::string& merge) {
        return s.ask("PATCH", crds + "/widgets.example.com", merge, {{"Content-Type", std::string(merge_type)}});
    };
    const std::string named = R"({"spec":{"names":{"shortNames":["wd"]}}})";
    const std::string too_much = "estimated rule cost exceeds budget";
    server s;
    CHECK(why(s.ask("POST", crds, with("2000"))).find(too_much) != std::string::npos);
    stored(s, "2000");
    CHECK(change(s, named).status == 200);
    const auto versions = json::serialize(json::parse(with("2001")).at_pointer("/spec/versions"));
    CHECK(why(change(s, R"({"spec":{"versions":)" + versions + "}}")).find(too_much) != std::string::npos);
    // All rules together may not cost more.
    server full;
    stored(full, "9000");
    const auto refused = why(change(full, named));
    CHECK(refused.find(too_much) == std::string::npos);
    CHECK(refused.find("estimated rule cost total for entire OpenAPIv3 schema exceeds") != std::string::npos);
}

TEST_CASE("crd: scope and kind are immutable", "[apiserver][crd]")
{
    server s;
    s.expect(201, "POST", crds, definition{"widgets", "Widget"}.text());
    for (const char* change : {R"({"spec":{"scope":"Cluster"}})", R"({"spec":{"names":{"kind":"Other"}}})"})
        CHECK(
            s.ask("PATCH", crds + "/widgets.example.com", change, {{"Content-Type", std::string(merge_type)}}).status ==
            422);
    s.patch(crds + "/widgets.example.com", R"({"spec":{"names":{"shortNames":["wd"]}}})");
    CHECK(s.expect(200, "GET", crds + "/widgets.example.com").at_pointer("/status/acceptedNames/shortNames/0") == "wd");
}

TEST_CASE("crd: excessive defaults of list items are refused", "[apiserver][crd]")
{
    server s;
    s.expect(
        201, "POST", crds,
        definition{"widgets", "Widget", "example.com",
                   R"({"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":)"
                   R"({"text":{"type":"string","default":")" +
                       std::string(100'000, 'd') + R"("}}}}}})"}
            .text());
    const auto with = [&](int count) {
        std::string items;
        for (int i = 0; i < count; ++i) items += i == 0 ? "{}" : ",{}";
        return s.ask("POST", "/apis/example.com/v1/namespaces/default/widgets",
                     R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"list":[)" + items +
                         "]}");
    };
    const auto refused = with(500'000);
    CHECK(refused.status == 500);
    CHECK(why(refused) == "etcdserver: request is too large");
    CHECK(with(10).status == 201);
}

TEST_CASE("crd: validating a long list against a long enum takes linear time", "[apiserver][crd]")
{
    server s;
    std::string allowed, items;
    for (int i = 0; i < 60'000; ++i) allowed += (i == 0 ? "\"e" : ",\"e") + std::to_string(i) + '"';
    for (int i = 0; i < 100'000; ++i) items += i == 0 ? R"("e59999")" : R"(,"e59999")";
    s.expect(201, "POST", crds,
             definition{"widgets", "Widget", "example.com",
                        R"({"type":"object","properties":{"list":{"type":"array","items":{"type":"string","enum":[)" +
                            allowed + "]}}}}"}
                 .text());
    const std::string begin = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"list":[)";
    CHECK(s.ask("POST", "/apis/example.com/v1/namespaces/default/widgets", begin + items + "]}").status == 201);
    CHECK(s.ask("POST", "/apis/example.com/v1/namespaces/default/widgets", begin + "\"other\"]}").status == 422);
}
