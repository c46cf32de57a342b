// Conformance cases: CustomResourceDefinitions and their objects.
#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/api/validation.hpp>

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace {

/// A definition of widgets in a group that no other run uses.
struct widgets
{
    explicit widgets(cluster_under_test& cluster) : c(cluster), group(c.unique("g") + ".example.com")
    {
        REQUIRE(c.run(c.api().create(crds, {}, definition())));
        // The resource is served shortly after the condition is set.
        if (!test::eventually([&] { return c.run(c.api().list(type(), c.ns())).has_value(); }))
            FAIL("the custom resource is not served");
    }
    ~widgets() { [[maybe_unused]] const auto removed = c.run(c.api().remove(crds, {}, "widgets." + group)); }

    [[nodiscard]] resource_type type() const { return {group, "v1", "widgets", "Widget", true}; }
    [[nodiscard]] resource_client<object> objects() const { return c.in_ns(type()); }
    [[nodiscard]] std::string widget(const std::string& name, const std::string& spec,
                                     const std::string& more = {}) const
    {
        return R"({"apiVersion":")" + group + R"(/v1","kind":"Widget","metadata":{"name":")" + name + '"' + more +
               R"(},"spec":)" + spec + "}";
    }
    [[nodiscard]] std::string definition() const
    {
        return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.)" +
               group + R"("},"spec":{"group":")" + group +
               R"(","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},)"
               R"("versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":)"
               R"({"type":"object","properties":{"spec":{"type":"object","required":["size"],"properties":)"
               R"({"finalizers":{"type":"array","items":{"type":"string"}},)"
               R"("size":{"type":"integer","maximum":10},"color":{"type":"string","default":"red","enum":["red","blue"]},)"
               R"("name":{"type":"string","maxLength":5,"pattern":"^[a-z]+$"},"address":{"type":"string","format":"ipv4"},)"
               R"("tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},)"
               R"("way":{"type":"object","properties":{"by":{"type":"string"},"to":{"type":"string"}},)"
               R"("oneOf":[{"required":["by"]},{"required":["to"]}]}}},)"
               R"("status":{"type":"object","properties":{"phase":{"type":"string"}}}}}}}]}})";
    }

    cluster_under_test& c;
    std::string group;
    resource_type crds = untyped::custom_resource_definition::resource();
};

} // namespace

TEST_CASE("custom resources: defaults, pruning, validation", "[conformance][crd]")
{
    cluster_under_test c;
    widgets w{c};
    const auto made = c.run(w.objects().create(w.widget("a", R"({"size":1,"bogus":2})"))).value();
    CHECK(made.generation() == 1);
    CHECK(made["spec"]["color"].as_string() == "red");
    CHECK_FALSE(made["spec"]["bogus"]);

    for (const char* wrong : {R"({"size":11})", R"({"size":"x"})", R"({})", R"({"size":1,"color":"green"})"}) {
        INFO(wrong);
        const auto refused = c.run(w.objects().create(w.widget("b", wrong)));
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == cond::invalid);
        CHECK(refused.error().status()->causes.at(0).field.starts_with("spec"));
    }
    CHECK(c.run(w.objects().update("a", w.widget("a", R"({"size":2})"))).error() == cond::invalid); // no version
    CHECK(c.run(w.objects().patch("a", patch_kind::strategic_merge, "{}")).error() == cond::invalid);
}

TEST_CASE("custom resources: status is separate, generation counts changes of the spec", "[conformance][crd]")
{
    cluster_under_test c;
    widgets w{c};
    REQUIRE(c.run(w.objects().create(w.widget("a", R"({"size":1})"))));
    const auto status = c.run(w.objects().patch("a", patch_kind::merge,
                                                R"({"status":{"phase":"Ready"},"spec":{"size":9}})", {}, "status"))
                            .value();
    CHECK(status["status"]["phase"].as_string() == "Ready");
    CHECK(status["spec"]["size"].as_int64() == 1);
    CHECK(status.generation() == 1);
    const auto spec =
        c.run(w.objects().patch("a", patch_kind::merge, R"({"status":{"phase":"x"},"spec":{"size":2}})")).value();
    CHECK(spec["status"]["phase"].as_string() == "Ready");
    CHECK(spec.generation() == 2);
}

TEST_CASE("custom resources: lists, watches and the deletion of the definition", "[conformance][crd]")
{
    cluster_under_test c;
    widgets w{c};
    REQUIRE(c.run(w.objects().create(w.widget("a", R"({"size":1})"))));
    const auto list = c.run(w.objects().list()).value();
    REQUIRE(list.items.size() == 1);
    CHECK(list.items[0].api_version() == w.group + "/v1");
    watch_options options;
    options.resource_version = list.resource_version;
    auto watch = c.run(w.objects().watch(options)).value();
    REQUIRE(c.run(w.objects().create(w.widget("b", R"({"size":2})"))));
    const auto added = c.next_event(*watch).value();
    CHECK(added.obj.name() == "b");

    REQUIRE(c.run(c.api().remove(w.crds, {}, "widgets." + w.group)));
    std::string deleted;
    for (int i = 0; i < 2; ++i) {
        const auto event = c.next_event(*watch);
        REQUIRE(event);
        CHECK(event->type == watch_event_type::deleted);
        deleted += event->obj.name();
    }
    CHECK((deleted == "ab" || deleted == "ba"));
    CHECK(test::eventually([&] { return !c.run(w.objects().list()); }));
}

TEST_CASE("custom resources: object_schema refuses what the server refuses, in its words", "[conformance][crd]")
{
    cluster_under_test c;
    widgets w{c};
    const auto schema = object_schema::of_crd(boost::json::parse(w.definition()), "v1").value();
    const auto lines = [](const failure& f) {
        std::vector<std::string> out;
        for (const auto& cause : f.status()->causes)
            out.push_back(cause.reason + " | " + cause.field + ": " + cause.message);
        std::ranges::sort(out);
        return out;
    };
    for (const char* wrong :
         {R"({"size":11})", R"({"size":"x"})", R"({"size":1.5})", R"({})", R"({"size":1,"color":"green"})",
          R"({"size":1,"name":"toolong"})", R"({"size":1,"name":"A"})", R"({"size":1,"address":"1.2.3"})",
          R"({"size":1,"tags":["a","b","a"]})", R"({"size":1,"way":{}})", R"({"size":1,"way":{"by":"x","to":"y"}})",
          R"({"size":20,"name":"","tags":[1],"color":7})"}) {
        INFO(wrong);
        const auto body = w.widget("b", wrong);
        const auto refused = c.run(w.objects().create(body));
        const auto checked = schema.check(boost::json::parse(body));
        REQUIRE_FALSE(refused);
        REQUIRE_FALSE(checked);
        CHECK(lines(checked.error()) == lines(refused.error()));
        CHECK(checked.error().status()->code == refused.error().status()->code);
        CHECK(checked.error().status()->kind == refused.error().status()->kind);
    }
    const auto right =
        w.widget("c", R"({"size":1,"name":"abc","address":"10.0.0.1","tags":["a","b"],"way":{"to":"x"}})");
    CHECK(schema.check(boost::json::parse(right)).has_value());
    CHECK(c.run(w.objects().create(right)).has_value());
}

TEST_CASE("custom resources: a field spec.finalizers does not keep a deleted object", "[conformance][crd]")
{
    cluster_under_test c;
    const widgets w(c);
    REQUIRE(c.run(
        w.objects().create(w.widget("a", R"({"size":1,"finalizers":["x"]})", R"(,"finalizers":["example.com/a"])"))));
    REQUIRE(c.run(w.objects().remove("a")));
    REQUIRE(c.run(w.objects().get("a")));
    REQUIRE(c.run(w.objects().patch("a", patch_kind::merge, R"({"metadata":{"finalizers":null}})")));
    CHECK(c.run(w.objects().get("a")).error() == cond::not_found);
}
