// Tests of merging by the types of the server's resources, and of its words about what cannot be merged.
#include "support.hpp"

#include "objects/registry.hpp"
#include "state/managed_fields.hpp"

#include <kubecoro/api/detail/merge_problems.hpp>
#include <kubecoro/api/detail/typed_value.hpp>

using namespace kubecoro;
using namespace kubecoro::apiserver;
namespace json = boost::json;

namespace {

const resource_info& resource(std::string_view plural)
{
    static const auto all = builtin_resources();
    for (const auto& info : all)
        if (info.plural == plural) return info;
    throw std::runtime_error("no such resource");
}

merge_type type_of(std::string_view plural) { return merge_type_of(resource(plural), "v1"); }

json::value of(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

std::string fields(std::string_view object, const merge_type& type)
{
    return json::serialize(detail::fields_of(of(object), type).to_fields());
}

} // namespace

TEST_CASE("merge types: a resource has that of its kind and version", "[apiserver][fields]")
{
    const auto object = R"({"spec":{"finalizers":["a"],"containers":[{"name":"c"}]}})";
    CHECK(fields(object, type_of("pods")) ==
          R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{}}},"f:finalizers":{}}})");
    resource_info info;
    info.custom = true;
    info.kind = "Pod"; // by its schema, not by its name
    info.versions.push_back({"v1"});
    info.versions.back().schema = std::make_shared<const json::value>(
        of(R"({"type":"object","properties":{"spec":{"type":"object","properties":{"finalizers":{"type":"array",)"
           R"("x-kubernetes-list-type":"set","items":{"type":"string"}}}}}})"));
    CHECK(fields(object, merge_type_of(info, "v1")) ==
          R"({"f:spec":{"f:containers":{},"f:finalizers":{"v:\"a\"":{}}}})");
    CHECK(fields(R"({"spec":{"finalizers":["a<b&c>"]}})", merge_type_of(info, "v1")) ==
          R"({"f:spec":{"f:finalizers":{"v:\"a\\u003cb\\u0026c\\u003e\"":{}}}})"); // as Go escapes it
    CHECK(fields(object, merge_type_of(info, "v2")) == R"({"f:spec":{".":{},"f:containers":{},"f:finalizers":{}}})");
}

TEST_CASE("merging: what cannot be merged is said", "[apiserver][fields]")
{
    const auto problem = [](std::string_view text) {
        const auto all = detail::merge_problems(of(text), type_of("pods"));
        return all.empty() ? std::string() : all.front();
    };
    CHECK(problem(R"({"spec":{"bogus":1}})") == ".spec.bogus: field not declared in schema");
    CHECK(problem(R"({"spec":{"containers":[{"name":"c"},{"name":"c"}]}})") ==
          R"(.spec.containers: duplicate entries for key [name="c"])");
    CHECK(problem(R"({"spec":{"containers":[7]}})") ==
          ".spec.containers: element 0: associative list with keys may not have non-map elements");
    CHECK(problem(R"({"spec":{"containers":{}}})").starts_with(".spec.containers: expected list, got "));
    CHECK(problem(R"({"spec":{"nodeName":1}})") ==
          ".spec.nodeName: expected string, got &value.valueUnstructured{Value:1}");
    CHECK(problem(R"({"spec":{"priority":"x"}})") == ".spec.priority: expected numeric (int or float), got string");
    CHECK(problem(R"({"metadata":{"labels":{"a":1}}})").starts_with(".metadata.labels.a: expected string"));
    // In lists and maps that are merged as a whole as well.
    CHECK(problem(R"({"spec":{"tolerations":[{},{"bogus":1}]}})") ==
          ".spec.tolerations[1].bogus: field not declared in schema");
    CHECK(problem(R"({"spec":{"containers":[{"name":"c","args":[7]}]}})") ==
          R"(.spec.containers[name="c"].args[0]: expected string, got &value.valueUnstructured{Value:7})");
    CHECK(problem(R"({"spec":{"nodeSelector":{"a":1}}})").starts_with(".spec.nodeSelector.a: expected string"));
    CHECK(problem(R"({"spec":null,"metadata":{"labels":null}})").empty());
    std::string many = R"({"spec":{)";
    for (int i = 0; i < 1000; ++i) many += (i ? ",\"x" : "\"x") + std::to_string(i) + "\":1";
    CHECK(detail::merge_problems(of(many + "}}"), type_of("pods")).size() == 100);
}

TEST_CASE("managed fields: the cost of a write grows with the fields, not with the owners times the fields",
          "[apiserver][fields]")
{
    // Takes minutes if the fields are copied for each owner.
    constexpr int count = 40'000;
    json::object data;
    const auto owned = [&](std::string_view operation) {
        json::array list;
        for (int i = 0; i < count; ++i) {
            const std::string n = std::to_string(i);
            data["k" + n] = "";
            list.push_back({{"manager", "m" + n},
                            {"operation", operation},
                            {"apiVersion", "v1"},
                            {"time", "2026-11-21T06:00:00Z"},
                            {"fieldsType", "FieldsV1"},
                            {"fieldsV1", {{"f:data", {{"f:k" + n, json::object{}}}}}}});
        }
        return managed_fields::read({{"metadata", {{"managedFields", std::move(list)}}}}).value();
    };
    const auto type = type_of("configmaps");
    const field_writer writer{"w", "v1", {}, "2026-11-21T07:00:00Z"};
    auto applied = owned("Apply");
    const json::value live{{"data", data}};
    const json::value two{{"data", {{"a", "1"}, {"b", "1"}}}}, one{{"data", {{"a", "1"}}}};
    const auto first = *applied.apply(live, two, json::object{}, type, false, writer);
    REQUIRE(first);
    const auto second = *applied.apply(*first, one, json::object{}, type, false, writer);
    REQUIRE(second);
    CHECK(second->at("data").as_object().size() == count + 1);

    auto updated = owned("Update");
    updated.note_update(live, *first, type, false, writer);
    json::value written = json::object{};
    updated.write(written);
    const auto& left = written.at("metadata").at("managedFields").as_array();
    REQUIRE(left.size() == 10);
    CHECK(left.front().at("manager") == "ancient-changes");
    CHECK(left.front().at("fieldsV1").at("f:data").as_object().size() == count - 8);
}

TEST_CASE("managed fields: the cost of a write does not grow with the names above its fields", "[apiserver][fields]")
{
    // Takes minutes if a long name is compared for each field below it.
    const std::string name(std::size_t{4} << 20, 'k');
    const auto with_fields = [&](int value) {
        json::object all;
        for (int i = 0; i < 100; ++i) {
            auto& some = all["o" + std::to_string(i)].emplace_object();
            for (int k = 0; k < 1000; ++k) some["f" + std::to_string(k)] = value;
        }
        return json::value{{"spec", {{name, std::move(all)}}}};
    };
    const auto type = merge_type::of_any_object();
    auto live = with_fields(1);
    auto last_applied = live;
    last_applied.get_object()["apiVersion"] = "example.com/v1";
    live.get_object()["metadata"] = {
        {"annotations", {{"kubectl.kubernetes.io/last-applied-configuration", json::serialize(last_applied)}}}};
    managed_fields owners;
    owners.note_update(json::object{}, live, type, true, {"other", "example.com/v1", {}, "2026-11-21T06:00:00Z"});
    const field_writer writer{"kubectl", "example.com/v1", {}, "2026-11-21T07:00:00Z"};
    const auto config = with_fields(2);
    // All conflicts are with kubectl's own client-side apply.
    const auto applied = owners.apply(live, config, json::object{}, type, false, writer);
    REQUIRE(applied.has_value());
    CHECK((*applied)->at("spec") == config.at("spec"));
    json::value written = json::object{};
    owners.write(written);
    const auto& list = written.at("metadata").at("managedFields").as_array();
    REQUIRE(list.size() == 2);
    CHECK(list[0].at("fieldsV1").at("f:spec").at("f:" + name).as_object().contains("f:o99"));
}
