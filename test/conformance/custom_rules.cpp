// Conformance cases: custom resources beyond their validation: versions, stored objects, columns, numbers, warnings.
#include "cluster_under_test.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace json = boost::json;

namespace {

struct got
{
    int code = 0;
    json::value body;
    std::vector<std::string> warnings = {};

    [[nodiscard]] json::value at(std::string_view pointer) const
    {
        boost::system::error_code none;
        const auto* found = body.find_pointer(pointer, none);
        return found ? *found : json::value(nullptr);
    }
    [[nodiscard]] std::string text(std::string_view pointer) const
    {
        const auto v = at(pointer);
        return v.is_string() ? std::string(v.get_string()) : json::serialize(v);
    }
};

/// A cluster-scoped resource "gadgets" in a group that no other run uses, with the versions of its definition.
struct gadgets
{
    gadgets(cluster_under_test& cluster, std::string versions)
        : c(cluster), group(c.unique("r") + ".example.com"), name("gadgets." + group)
    {
        REQUIRE(send("POST", crds, definition(std::move(versions))).code == 201);
        if (!test::eventually([&] { return send("GET", path("v1")).code == 200; })) FAIL("gadgets are not served");
    }
    ~gadgets() { send("DELETE", crds + "/" + name); }

    [[nodiscard]] json::value definition(const std::string& versions) const
    {
        return {{"apiVersion", "apiextensions.k8s.io/v1"},
                {"kind", "CustomResourceDefinition"},
                {"metadata", {{"name", name}}},
                {"spec",
                 {{"group", group},
                  {"scope", "Cluster"},
                  {"names", {{"plural", "gadgets"}, {"kind", "Gadget"}}},
                  {"versions", json::parse(versions)}}}};
    }
    [[nodiscard]] std::string path(const std::string& version, const std::string& rest = {}) const
    {
        return "/apis/" + group + "/" + version + "/gadgets" + rest;
    }
    [[nodiscard]] json::value gadget(const std::string& named, const std::string& spec,
                                     const std::string& version = "v1") const
    {
        return {{"apiVersion", group + "/" + version},
                {"kind", "Gadget"},
                {"metadata", {{"name", named}}},
                {"spec", json::parse(spec)}};
    }
    got send(const std::string& method, const std::string& target, const json::value& body = nullptr,
             std::string_view type = "application/json", std::string accept = "application/json") const
    {
        request r;
        r.method = method;
        r.target = target;
        r.accept = std::move(accept);
        if (!body.is_null()) {
            r.content_type = type;
            r.body = json::serialize(body);
        }
        auto answer = c.run(c.api().raw(std::move(r)));
        REQUIRE(answer);
        boost::system::error_code no_json; // what is not served is answered with plain text
        got out{answer->head.status, json::parse(answer->body, no_json)};
        for (const auto& [header, value] : answer->head.headers)
            if (header == "Warning" || header == "warning")
                out.warnings.emplace_back(json::parse(value.substr(value.find('"'))).as_string());
        return out;
    }
    got apply(const json::value& body, const std::string& named, const std::string& query = {}) const
    {
        return send("PATCH", path("v1", "/" + named + "?fieldManager=m" + query), body, "application/apply-patch+yaml");
    }

    cluster_under_test& c;
    std::string group;
    std::string name;
    const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
};

/// A version whose schema has these properties of the specification, which is open otherwise.
std::string version(const std::string& name, const std::string& properties, const std::string& more = {},
                    bool storage = true)
{
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") + more +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{)" +
           properties + R"(}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})";
}

std::string one(const std::string& properties, const std::string& more = {})
{
    return "[" + version("v1", properties, more) + "]";
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("custom resources: a schema may ask for kind and apiVersion", "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, R"([{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
                 R"("required":["apiVersion","kind","metadata","spec"],"minProperties":4,"properties":{)"
                 R"("apiVersion":{"type":"string"},"kind":{"type":"string","enum":["Gadget"]},)"
                 R"("metadata":{"type":"object"},"spec":{"type":"object"}}}}}])"};
    const auto made = g.send("POST", g.path("v1"), g.gadget("a", "{}"));
    CHECK(made.code == 201);
    CHECK(g.send("PUT", g.path("v1", "/a"), made.body).code == 200);
    CHECK(g.apply(g.gadget("b", "{}"), "b").code == 201);
    auto without = g.gadget("c", "{}");
    without.as_object().erase("spec");
    CHECK(g.send("POST", g.path("v1"), without).text("/details/causes/0/field") == "<nil>");
}

TEST_CASE("custom resources: finalizers without a domain are taken, with a warning", "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, one("")};
    auto body = g.gadget("a", "{}");
    body.at("metadata").as_object()["finalizers"] = {"bare", "a.b", "a.b/c", "orphan"};
    const auto made = g.send("POST", g.path("v1"), body);
    CHECK(made.code == 201);
    const std::string why = "to avoid accidental conflicts with other finalizer writers";
    const std::string first =
        R"(metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) )";
    CHECK(made.warnings ==
          texts{first + why, R"(metadata.finalizers: "bare": prefer a domain-qualified finalizer name )" + why});
    const std::string patch = R"({"metadata":{"finalizers":["bare","another"]}})";
    const auto changed = g.send("PATCH", g.path("v1", "/a"), json::parse(patch), "application/merge-patch+json");
    CHECK(changed.code == 200);
    CHECK(changed.warnings ==
          texts{R"(metadata.finalizers: "another": prefer a domain-qualified finalizer name )" + why});
    CHECK(g.send("PATCH", g.path("v1", "/a"), json::parse(R"({"metadata":{"finalizers":null}})"),
                 "application/merge-patch+json")
              .warnings.empty());
    g.send("DELETE", g.path("v1", "/a"));
}

TEST_CASE("custom resources: a deprecated version says so with every answer", "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, "[" + version("v1alpha1", "", R"(,"deprecated":true)", false) + "," +
                     version("v1beta1", "", R"(,"deprecated":true,"deprecationWarning":"go on")", false) + "," +
                     version("v1", "") + "]"};
    const auto old = texts{g.group + "/v1alpha1 Gadget is deprecated; use " + g.group + "/v1 Gadget"};
    CHECK(g.send("POST", g.path("v1alpha1"), g.gadget("a", "{}", "v1alpha1")).warnings == old);
    CHECK(g.send("GET", g.path("v1alpha1")).warnings == old);
    CHECK(g.send("GET", g.path("v1alpha1", "/none")).warnings == old);
    CHECK(g.send("GET", g.path("v1beta1", "/a")).warnings == texts{"go on"});
    CHECK(g.send("GET", g.path("v1", "/a")).warnings.empty());
}

TEST_CASE("custom resources: each version has field selectors of its own", "[conformance][crd]")
{
    cluster_under_test c;
    const auto with = [](const std::string& path) {
        return R"(,"selectableFields":[{"jsonPath":".spec.)" + path + "\"}]";
    };
    const std::string properties = R"("color":{"type":"string"},"size":{"type":"integer"})";
    gadgets g{c, "[" + version("v1", properties, with("color")) + "," +
                     version("v2", properties + R"(,"weight":{"type":"integer"})", with("size"), false) + "]"};
    CHECK(g.send("POST", g.path("v1"), g.gadget("a", R"({"color":"red","size":1})")).code == 201);
    CHECK(g.send("POST", g.path("v1"), g.gadget("b", R"({"color":"blue","size":2})")).code == 201);
    const auto selected = [&](const std::string& in, const std::string& selector) {
        const auto list = g.send("GET", g.path(in, "?fieldSelector=" + selector));
        if (list.code != 200) return list.text("/message");
        CHECK(list.at("/items").as_array().size() == 1);
        return list.text("/items/0/metadata/name");
    };
    CHECK(selected("v1", "spec.color%3Dred") == "a");
    CHECK(selected("v2", "spec.size%3D2") == "b");
    CHECK(selected("v1", "spec.size%3D2") == "field label not supported: spec.size");
    CHECK(selected("v2", "spec.color%3Dred") == "field label not supported: spec.color");
    for (const char* name : {"/a", "/b"}) g.send("DELETE", g.path("v1", name));
}

TEST_CASE("custom resources: each version shows what its schema has, and a write by it keeps no more",
          "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, "[" + version("v1", R"("common":{"type":"string"},"first":{"type":"string"})") + "," +
                     version("v2", R"("common":{"type":"string"},"second":{"type":"string"})", {}, false) + "]"};
    const auto made = g.send("POST", g.path("v1"), g.gadget("a", R"({"common":"c","first":"f","second":"s"})"));
    CHECK(json::serialize(made.at("/spec")) == R"({"common":"c","first":"f"})");
    auto second = g.send("GET", g.path("v2", "/a"));
    CHECK(json::serialize(second.at("/spec")) == R"({"common":"c"})");
    CHECK(second.text("/apiVersion") == g.group + "/v2");
    CHECK(g.send("GET", g.path("v2")).text("/items/0/spec") == R"({"common":"c"})");
    // A write in a version loses what that version does not have, and keeps nothing that the stored one does not have.
    second.body.at("spec").as_object()["second"] = "s";
    const auto written = g.send("PUT", g.path("v2", "/a"), second.body);
    CHECK(written.code == 200);
    CHECK(json::serialize(written.at("/spec")) == R"({"common":"c"})");
    CHECK(json::serialize(g.send("GET", g.path("v1", "/a")).at("/spec")) == R"({"common":"c"})");
}

TEST_CASE("custom resources: stored objects are read by the present schema", "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, one(R"("old":{"type":"string"},"kept":{"type":"string"})")};
    const auto made = g.send("POST", g.path("v1"), g.gadget("a", R"({"old":"o","kept":"k"})"));
    CHECK(made.code == 201);
    const auto versions = one(R"("kept":{"type":"string"},"fresh":{"type":"string","default":"f"})");
    const json::value patch{{"spec", {{"versions", json::parse(versions)}}}};
    CHECK(g.send("PATCH", g.crds + "/" + g.name, patch, "application/merge-patch+json").code == 200);
    const auto is_read = [&] {
        return json::serialize(g.send("GET", g.path("v1", "/a")).at("/spec")) == R"({"fresh":"f","kept":"k"})";
    };
    CHECK(test::eventually(is_read));
    CHECK(g.send("GET", g.path("v1", "/a")).text("/metadata/resourceVersion") ==
          made.text("/metadata/resourceVersion"));
}

TEST_CASE("custom resources: cells of columns fit their types", "[conformance][crd]")
{
    cluster_under_test c;
    std::string columns;
    const char* paths[] = {"s", "i", "f", "b", "l", "o", "n", "list[-1:].x", "list[1].x", "none", "d"};
    for (const std::string path : paths)
        for (const std::string type : {"string", "integer", "number", "boolean", "date"})
            columns +=
                R"(,{"name":")" + path + type + R"(","type":")" + type + R"(","jsonPath":".spec.)" + path + R"("})";
    const std::string open = R"({"x-kubernetes-preserve-unknown-fields":true,"nullable":true})";
    std::string properties;
    for (const std::string name : {"s", "i", "f", "b", "l", "o", "n", "list", "d"})
        properties += (properties.empty() ? "\"" : ",\"") + name + "\":" + open;
    gadgets g{c, one(properties, R"(,"additionalPrinterColumns":[)" + columns.substr(1) + "]")};
    CHECK(g.send("POST", g.path("v1"),
                 g.gadget("a", R"({"s":"text","i":5,"f":1.5,"b":true,"l":["a",1],"o":{"b":1,"a":2},"n":null,)"
                               R"("list":[{"x":"1"},{"x":"2"}],"d":""})"))
              .code == 201);
    const auto table = g.send("GET", g.path("v1", "/a"), nullptr, {}, "application/json;as=Table;g=meta.k8s.io;v=v1");
    CHECK(table.text("/rows/0/cells") ==
          R"(["a","text",null,null,null,"<invalid>","5",5,5,null,null,"1.5",1,1.5E0,null,null,)"
          R"("true",null,null,true,null,"[\"a\",1]",null,null,null,null,"{\"a\":2,\"b\":1}",null,null,null,null,)"
          R"("<no value>",null,null,null,null,"2",null,null,null,"<invalid>","2",null,null,null,"<invalid>",)"
          R"(null,null,null,null,null,"",null,null,null,"<unknown>"])");
    CHECK(table.text("/columnDefinitions/1/description") ==
          "Custom resource definition column (in JSONPath format): .spec.s");
}

TEST_CASE("custom resources: replicas are whole numbers of 32 bits", "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, one(R"("replicas":{"x-kubernetes-preserve-unknown-fields":true})",
                     R"(,"subresources":{"scale":{"specReplicasPath":".spec.replicas",)"
                     R"("statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}})")};
    const auto refusal = [&](const std::string& spec, const std::string& status = "{}") {
        auto body = g.gadget("a", spec);
        body.as_object()["status"] = json::parse(status);
        const auto answer = g.send("POST", g.path("v1", "?dryRun=All"), body);
        return answer.code == 201
                   ? ""
                   : answer.text("/details/causes/0/field") + " " + answer.text("/details/causes/0/message");
    };
    CHECK(refusal(R"({"replicas":3})").empty());
    CHECK(refusal("{}").empty());
    CHECK(refusal(R"({"replicas":-1})") == ".spec.replicas Invalid value: -1: should be a non-negative integer");
    CHECK(refusal(R"({"replicas":3000000000})") ==
          ".spec.replicas Invalid value: 3000000000: should be less than or equal to 2147483647");
    CHECK(refusal(R"({"replicas":"3"})") ==
          ".spec.replicas Invalid value: 0: .spec.replicas accessor error: 3 is of the type string, expected int64");
    CHECK(g.send("POST", g.path("v1"), g.gadget("none", "{}")).code == 201);
    const auto scaled = [&](const std::string& spec) {
        return g.send("PATCH", g.path("v1", "/none/scale"), json::parse(R"({"spec":)" + spec + "}"),
                      "application/merge-patch+json");
    };
    const auto empty = scaled("{}");
    CHECK(empty.code == 400);
    CHECK(empty.text("/message") == R"(the spec replicas field ".spec.replicas" cannot be empty)");
    CHECK(scaled(R"({"replicas":2})").text("/spec/replicas") == "2");
    CHECK(refusal("{}", R"({"replicas":-1})") ==
          ".status.replicas Invalid value: -1: should be a non-negative integer");
    CHECK(
        refusal("{}", R"({"selector":1})") ==
        R"(.status.selector Invalid value: "": .status.selector accessor error: 1 is of the type int64, expected string)");
}

TEST_CASE("custom resources: whole numbers with a fraction are integers to an apply", "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, one(R"("size":{"type":"number"},"items":{"type":"array","items":{"type":"object","properties":{)"
                     R"("n":{"type":"integer"}}}})")};
    const auto config = g.gadget("a", R"({"size":10.0,"items":[{"n":1.0}]})");
    const auto made = g.apply(config, "a");
    CHECK(made.code == 201);
    CHECK(made.text("/spec") == R"({"items":[{"n":1}],"size":10})");
    const auto again = g.apply(config, "a");
    CHECK(again.text("/metadata/generation") == "1");
    CHECK(again.text("/metadata/resourceVersion") == made.text("/metadata/resourceVersion"));
}

TEST_CASE("custom resources: an apply refuses unknown fields in lists that are merged as a whole", "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, one(R"("items":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}})")};
    const auto config = g.gadget("a", R"({"items":[{"n":1},{"m":2}]})");
    for (const std::string query : {"", "&fieldValidation=Strict"}) {
        const auto refused = g.apply(config, "a", query);
        CHECK(refused.code == 500);
        CHECK(refused.text("/message").find(".spec.items[1].m: field not declared in schema") != std::string::npos);
    }
}

TEST_CASE("custom resources: every write keeps the rules of its schema", "[conformance][crd]")
{
    cluster_under_test c;
    gadgets g{c, one(R"("a":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf","message":)"
                     R"("never smaller"},{"rule":"self != 7"}]},"e":{"type":"string","enum":["A"]})",
                     R"(,"subresources":{"status":{}})")};
    const auto causes = [](const got& answer) {
        texts out;
        const auto list = answer.at("/details/causes");
        for (const auto* each = list.if_array(); const auto& one : each ? *each : json::array())
            out.push_back(std::string(one.at("field").as_string()) + ": " + std::string(one.at("message").as_string()));
        return out;
    };
    CHECK(causes(g.send("POST", g.path("v1"), g.gadget("a", R"({"a":7})"))) ==
          texts{"spec.a: Invalid value: 7: failed rule: self != 7"});
    CHECK(causes(g.apply(g.gadget("a", R"({"a":7,"e":"B"})"), "a")) ==
          texts{R"(spec.e: Unsupported value: "B": supported values: "A")",
                "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; "
                "correct the existing errors to complete validation"});
    REQUIRE(g.send("POST", g.path("v1"), g.gadget("a", R"({"a":5})")).code == 201);
    const auto patch = [&](const std::string& spec) {
        return g.send("PATCH", g.path("v1", "/a"), json::parse(R"({"spec":)" + spec + "}"),
                      "application/merge-patch+json");
    };
    CHECK(causes(patch(R"({"a":3})")) == texts{"spec.a: Invalid value: 3: never smaller"});
    CHECK(patch(R"({"a":6})").code == 200);
    CHECK(
        g.send("PATCH", g.path("v1", "/a/status"), json::parse(R"({"status":{"n":1}})"), "application/merge-patch+json")
            .code == 200);
}
