// How values differ and merge by their types.
#include <kubecoro/test/catch.hpp>

#include <kubecoro/api/detail/typed_value.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

json::value of(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

field_set set_of(std::string_view fields) { return field_set::of_fields(of(fields)).value(); }

std::string text_of(const field_set& set) { return json::serialize(set.to_fields()); }

merge_type pods() { return merge_type::of_kind("v1", "Pod").value(); }

/// A custom resource with this schema.
struct custom
{
    explicit custom(std::string_view text) : schema(of(text)) {}
    [[nodiscard]] merge_type type() const { return merge_type::of_custom(schema); }
    json::value schema;
};

std::string merged(const merge_type& type, std::string_view live, std::string_view config)
{
    return json::serialize(merge_values(of(live), of(config), type));
}

const std::string lists =
    R"({"type":"object","properties":{"spec":{"type":"object","properties":{)"
    R"("byName":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],)"
    R"("items":{"type":"object","properties":{"name":{"type":"string"},"v":{"type":"integer"}}}},)"
    R"("set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},)"
    R"("plain":{"type":"array","items":{"type":"string"}},)"
    R"("whole":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string"}}},)"
    R"("open":{"type":"object","x-kubernetes-preserve-unknown-fields":true},)"
    R"("map":{"type":"object","additionalProperties":{"type":"string"}}}}}})";

} // namespace

TEST_CASE("merge types: built-in kinds have the lists and atomic structs of Kubernetes", "[api][fields]")
{
    const auto pod = R"({"metadata":{"finalizers":["a"],"ownerReferences":[{"uid":"u","name":"n"}]},"spec":{)"
                     R"("containers":[{"name":"c","args":["x"],"ports":[{"containerPort":80}],)"
                     R"("env":[{"name":"E","valueFrom":{"fieldRef":{"fieldPath":"p"}}}]}],"nodeSelector":{"a":"b"},)"
                     R"("volumes":[{"name":"v","emptyDir":{}}]}})";
    CHECK(text_of(fields_of(of(pod), pods())) ==
          R"({"f:metadata":{"f:finalizers":{"v:\"a\"":{}},"f:ownerReferences":{"k:{\"uid\":\"u\"}":{}}},"f:spec":{)"
          R"("f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},"f:env":{"k:{\"name\":\"E\"}":{".":{},)"
          R"("f:name":{},"f:valueFrom":{"f:fieldRef":{}}}},"f:name":{},"f:ports":{)"
          R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}},)"
          R"("f:nodeSelector":{},"f:volumes":{"k:{\"name\":\"v\"}":{".":{},"f:emptyDir":{},"f:name":{}}}}})");
    const auto set = R"({"spec":{"selector":{"matchLabels":{"a":"b"}}}})";
    CHECK(text_of(fields_of(of(set), merge_type::of_kind("apps/v1", "Deployment").value())) ==
          R"({"f:spec":{"f:selector":{}}})");
}

TEST_CASE("merge types: structural schemas say how their lists and maps are merged", "[api][fields]")
{
    const custom c(lists);
    CHECK(text_of(fields_of(of(R"({"metadata":{"labels":{"a":"b"}},"spec":{"byName":[{"name":"x","v":1}],"set":["s"],)"
                               R"("plain":["p"],"whole":{"a":"b"},"open":{"o":{"p":[1]}},"map":{"m":"n"}}})"),
                            c.type())) ==
          R"({"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:byName":{"k:{\"name\":\"x\"}":{".":{},"f:name":{},)"
          R"("f:v":{}}},"f:map":{"f:m":{}},"f:open":{"f:o":{".":{},"f:p":{}}},"f:plain":{},"f:set":{"v:\"s\"":{}},)"
          R"("f:whole":{}}})");
}

TEST_CASE("merging: items of a list keep the order of the configuration between those of the live list",
          "[api][fields]")
{
    const custom c(R"({"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"set",)"
                   R"("items":{"type":"string"}}}})");
    const auto list = [&](std::string_view live, std::string_view config) {
        const auto wrap = [](std::string_view l) { return R"({"l":)" + std::string(l) + "}"; };
        return json::serialize(of(merged(c.type(), wrap(live), wrap(config))).at("l"));
    };
    CHECK(list(R"(["a","b","c"])", R"(["c","a"])") == R"(["b","c","a"])");
    CHECK(list(R"(["a","b"])", R"(["b","x"])") == R"(["a","b","x"])");
    CHECK(list(R"(["a","b","c","d"])", R"(["d","b"])") == R"(["a","c","d","b"])");
    CHECK(list(R"(["a"])", R"(["x","a","y"])") == R"(["x","a","y"])");
    CHECK(list(R"([])", R"(["x","a"])") == R"(["x","a"])");
    CHECK(list(R"(["a","b"])", R"([])") == R"(["a","b"])");
    CHECK(list(R"(["a","a"])", R"(["a"])") == R"(["a"])");
}

TEST_CASE("merging: a configuration adds and replaces, and takes nothing away", "[api][fields]")
{
    const custom c(lists);
    CHECK(merged(c.type(), R"({"spec":{"byName":[{"name":"x","v":1},{"name":"y","v":2}],"whole":{"b":"1"}}})",
                 R"({"spec":{"byName":[{"name":"y","v":3}],"whole":{"a":"2"},"plain":["p"]}})") ==
          R"({"spec":{"byName":[{"name":"x","v":1},{"name":"y","v":3}],"whole":{"a":"2"},"plain":["p"]}})");
    CHECK(merged(c.type(), R"({"spec":{"map":{"a":"1"}}})", R"({"spec":{"map":null}})") ==
          R"({"spec":{"map":{"a":"1"}}})");
    CHECK(
        json::serialize(without_fields(of(R"({"spec":{"map":{"a":"1","b":"2"},"set":["x","y"],"plain":["p"]}})"),
                                       set_of(R"({"f:spec":{"f:map":{"f:a":{}},"f:set":{"v:\"y\"":{}},"f:plain":{}}})"),
                                       c.type())) == R"({"spec":{"map":{"b":"2"},"set":["x"]}})");
}

TEST_CASE("comparing: added, modified and removed fields", "[api][fields]")
{
    const auto type = pods();
    const auto changes = compare_fields(
        of(R"({"metadata":{"labels":{"a":"1","b":"1"}},"spec":{"containers":[{"name":"x","image":"1"}],"priority":1}})"),
        of(R"({"metadata":{"labels":{"a":"2","c":"1"}},"spec":{"containers":[{"name":"y","image":"1"}],"priority":1}})"),
        type);
    CHECK(text_of(changes.added) == R"({"f:metadata":{"f:labels":{"f:c":{}}},"f:spec":{"f:containers":{)"
                                    R"("k:{\"name\":\"y\"}":{".":{},"f:image":{},"f:name":{}}}}})");
    CHECK(text_of(changes.modified) == R"({"f:metadata":{"f:labels":{"f:a":{}}}})");
    CHECK(text_of(changes.removed) == R"({"f:metadata":{"f:labels":{"f:b":{}}},"f:spec":{"f:containers":{)"
                                      R"("k:{\"name\":\"x\"}":{".":{},"f:image":{},"f:name":{}}}}})");
    const custom c(lists);
    CHECK(compare_fields(of(R"({"spec":{"open":{"x":1}}})"), of(R"({"spec":{"open":{"x":1.0}}})"), c.type())
              .modified.empty());
    // Items that occur twice have one owner.
    const auto twice = compare_fields(of(R"({"spec":{"set":["a","a"]}})"), of(R"({"spec":{"set":["a"]}})"), c.type());
    CHECK(text_of(twice.removed) == R"({"f:spec":{"f:set":{"v:\"a\"":{}}}})");
    CHECK(text_of(twice.added) == R"({"f:spec":{"f:set":{"v:\"a\"":{}}}})");
}

TEST_CASE("comparing: items with equal keys are compared in their order", "[api][fields]")
{
    const custom c(lists);
    const auto modified = [&](const std::string& before, const std::string& after) {
        const auto spec = [](const std::string& items) { return R"({"spec":{"byName":[)" + items + "]}}"; };
        const auto changes = compare_fields(of(spec(before)), of(spec(after)), c.type());
        CHECK(changes.added.empty());
        CHECK(changes.removed.empty());
        return text_of(changes.modified);
    };
    const std::string x1 = R"({"name":"x","v":1})", x2 = R"({"name":"x","v":2})", y = R"({"name":"y"})";
    const std::string of_x = R"({"f:spec":{"f:byName":{"k:{\"name\":\"x\"}":{}}}})";
    CHECK(modified(x1 + "," + y + "," + x2, y + "," + x1 + "," + x2) == "{}");
    CHECK(modified(x1 + "," + x2, x2 + "," + x1) == of_x);
    CHECK(modified(x1 + "," + x2, x1 + "," + x2 + "," + x2) == of_x);
    CHECK(modified(x1 + "," + x2 + "," + x2, x1 + "," + x2) == of_x);
}

TEST_CASE("comparing: the cost of items with equal keys does not grow with the list", "[api][fields]")
{
    // Takes minutes if the lists are walked for each key.
    json::array pairs;
    for (int i = 0; i < 200'000; ++i) pairs.push_back(json::object{{"name", std::to_string(i / 2)}, {"v", i}});
    json::value before{{"spec", {{"byName", pairs}}}};
    auto after = before;
    after.at("spec").at("byName").at(99'999).at("v") = -1;
    const custom c(lists);
    const auto changes = compare_fields(before, after, c.type());
    CHECK(text_of(changes.modified) == R"({"f:spec":{"f:byName":{"k:{\"name\":\"49999\"}":{}}}})");
    CHECK(changes.added.empty());
    CHECK(changes.removed.empty());
}

TEST_CASE("merge types: without a schema, objects are merged by their members and lists as a whole", "[api][fields]")
{
    CHECK_FALSE(merge_type::of_kind("example.com/v1", "Robot"));
    CHECK_FALSE(merge_type::of_kind("v1", "Robot"));
    CHECK(text_of(fields_of(of(R"({"metadata":{"finalizers":["a"]},"spec":{"l":[{"name":"x"}],"m":{"k":1}}})"),
                            merge_type::of_any_object())) ==
          R"({"f:metadata":{"f:finalizers":{"v:\"a\"":{}}},"f:spec":{".":{},"f:l":{},"f:m":{".":{},"f:k":{}}}})");
}
