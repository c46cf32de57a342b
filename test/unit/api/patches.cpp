// Patches made from two and three versions of an object. That applying them gives the new version is checked with the
// embedded server's patches, in test/unit/apiserver/made_patches.cpp.
#include <kubecoro/api/patch.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <string>
#include <string_view>

using namespace kubecoro;
namespace json = boost::json;

namespace {

json::object parsed(std::string_view text) { return json::parse(text).as_object(); }

std::string merged(std::string_view from, std::string_view to)
{
    return json::serialize(merge_patch(parsed(from), parsed(to)));
}

std::string three_way(std::string_view last, std::string_view wanted, std::string_view current)
{
    return json::serialize(three_way_merge_patch(parsed(last), parsed(wanted), parsed(current)));
}

/// The strategic patch between two specs of a Pod, or the message of the refusal.
std::string pod_spec(std::string_view from, std::string_view to)
{
    const auto pod = [](std::string_view spec) {
        json::object o{{"apiVersion", "v1"}, {"kind", "Pod"}};
        o["spec"] = json::parse(spec);
        return o;
    };
    const auto patch = strategic_merge_patch(pod(from), pod(to));
    if (!patch) return patch.error().message();
    const auto* spec = patch->if_contains("spec");
    return spec ? json::serialize(*spec) : "nothing";
}

} // namespace

TEST_CASE("merge patch: changed, new and removed members, and nothing else", "[api][patch]")
{
    CHECK(merged(R"({"a":1,"b":{"c":2,"d":[1]},"e":4})", R"({"a":1,"b":{"c":3,"d":[1]},"f":{}})") ==
          R"({"b":{"c":3},"f":{},"e":null})");
    CHECK(merged(R"({"a":{"b":{"c":1}}})", R"({"a":{"b":{"c":1}}})") == "{}");
    CHECK(merged(R"({"a":[1,2]})", R"({"a":[2,1]})") == R"({"a":[2,1]})");
    CHECK(merged(R"({"a":{"b":1}})", R"({"a":"text"})") == R"({"a":"text"})");
    CHECK(merged(R"({"a":"text"})", R"({"a":{"b":1}})") == R"({"a":{"b":1}})");
    CHECK(merged(R"({"a":1})", R"({"a":null,"b":null})") == R"({"a":null})");
    CHECK(merged(R"({"a":1})", R"({"a":1.0})") != "{}");
}

TEST_CASE("three-way merge patch: what others added stays, what is no longer wanted goes", "[api][patch]")
{
    // The replicas were set by somebody else, the image was applied and changed, the flag is no longer wanted.
    CHECK(three_way(R"({"image":"a:1","flag":true,"map":{"x":1,"y":2}})", R"({"image":"a:2","map":{"x":1}})",
                    R"({"image":"a:1","flag":true,"replicas":3,"map":{"x":1,"y":2,"z":3}})") ==
          R"({"image":"a:2","map":{"y":null},"flag":null})");
    CHECK(three_way(R"({"a":1})", R"({"a":1})", R"({"a":1,"b":2})") == "{}");
    // Somebody else's change of what is wanted is undone, and what is wanted again is set.
    CHECK(three_way(R"({"a":1,"b":1})", R"({"a":1,"b":1})", R"({"a":2})") == R"({"a":1,"b":1})");
    CHECK(three_way("{}", R"({"m":{"a":1}})", R"({"m":{"b":1}})") == R"({"m":{"a":1}})");
    // A member to remove, whose object was replaced by a text.
    CHECK(three_way(R"({"m":{"a":1}})", R"({"m":{}})", R"({"m":"text"})") == R"({"m":{"a":null}})");
}

TEST_CASE("strategic patch: lists are merged by the key of their schema", "[api][patch]")
{
    CHECK(pod_spec(R"({"containers":[{"name":"a","image":"x"},{"name":"b","image":"y"}]})",
                   R"({"containers":[{"name":"a","image":"x"},{"name":"b","image":"z"}]})") ==
          R"({"containers":[{"image":"z","name":"b"}],"$setElementOrder/containers":[{"name":"a"},{"name":"b"}]})");
    CHECK(
        pod_spec(R"({"containers":[{"name":"a"},{"name":"b"}]})", R"({"containers":[{"name":"b"},{"name":"c"}]})") ==
        R"({"containers":[{"name":"c"},{"name":"a","$patch":"delete"}],"$setElementOrder/containers":[{"name":"b"},{"name":"c"}]})");
    CHECK(pod_spec(R"({"containers":[{"name":"a"},{"name":"b"}]})", R"({"containers":[{"name":"b"},{"name":"a"}]})") ==
          R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]})");
    CHECK(
        pod_spec(R"({"containers":[{"name":"a","ports":[{"containerPort":80}]}]})",
                 R"({"containers":[{"name":"a","ports":[{"containerPort":80,"name":"web"}]}]})") ==
        R"({"containers":[{"ports":[{"name":"web","containerPort":80}],"$setElementOrder/ports":[{"containerPort":80}],"name":"a"}],"$setElementOrder/containers":[{"name":"a"}]})");
    CHECK(pod_spec(R"({"containers":[]})", R"({"containers":[{"name":"a"}]})") == R"({"containers":[{"name":"a"}]})");
    CHECK(pod_spec(R"({"containers":[{"name":"a"}]})", "{}") == R"({"containers":null})");
}

TEST_CASE("strategic patch: lists without a rule are replaced", "[api][patch]")
{
    CHECK(pod_spec(R"({"tolerations":[{"key":"a"}]})", R"({"tolerations":[{"key":"a"},{"key":"b"}]})") ==
          R"({"tolerations":[{"key":"a"},{"key":"b"}]})");
    CHECK(pod_spec(R"({"nodeSelector":{"a":"1","b":"2"}})", R"({"nodeSelector":{"a":"1","c":"3"}})") ==
          R"({"nodeSelector":{"c":"3","b":null}})");
}

TEST_CASE("strategic patch: unions name the members that they keep", "[api][patch]")
{
    CHECK(
        pod_spec(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
                 R"({"volumes":[{"name":"v","hostPath":{"path":"/x"}}]})") ==
        R"({"volumes":[{"hostPath":{"path":"/x"},"emptyDir":null,"$retainKeys":["hostPath","name"],"name":"v"}],"$setElementOrder/volumes":[{"name":"v"}]})");
    CHECK(pod_spec(R"({"volumes":[{"name":"v","emptyDir":{}}]})", R"({"volumes":[{"name":"v","emptyDir":{}}]})") ==
          "nothing");
}

TEST_CASE("strategic patch: a set of texts gains and loses items", "[api][patch]")
{
    const auto config = [](std::string_view finalizers) {
        json::object o{{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
        o["metadata"] = json::object{{"finalizers", json::parse(finalizers)}};
        return o;
    };
    const auto patch = strategic_merge_patch(config(R"(["a","b"])"), config(R"(["c","b"])"));
    REQUIRE(patch);
    CHECK(
        json::serialize(*patch) ==
        R"({"metadata":{"finalizers":["c"],"$deleteFromPrimitiveList/finalizers":["a"],"$setElementOrder/finalizers":["c","b"]}})");
    CHECK(strategic_merge_patch(config(R"(["a"])"), config(R"(["a"])"))->empty());
    CHECK(strategic_merge_patch(config(R"(["a"])"), config(R"([["a"]])")).error() == cond::invalid);
    CHECK(strategic_merge_patch(config(R"(["a"])"), config(R"(["b","b"])")).error() == cond::invalid);
    CHECK(strategic_merge_patch(config(R"(["a","a"])"), config(R"(["a","b"])")).error() == cond::invalid);
    CHECK(strategic_merge_patch(config(R"(["a"])"), config(R"([{"a":1}])")).error() == cond::invalid);
}

TEST_CASE("strategic patch: what cannot be merged is refused, naming the field", "[api][patch]")
{
    CHECK(pod_spec(R"({"containers":[{"name":"a"}]})", R"({"containers":[{"image":"x"}]})") ==
          "cannot make a strategic merge patch: .spec.containers has an item without its merge key \"name\"");
    CHECK(pod_spec(R"({"containers":[{"name":"a","ports":[{"containerPort":80}]}]})",
                   R"({"containers":[{"name":"a","ports":[{"name":"x"}]}]})") ==
          "cannot make a strategic merge patch: .spec.containers[\"a\"].ports has an item without its merge key "
          "\"containerPort\"");
    CHECK(
        pod_spec(
            R"({"containers":[{"name":"a","ports":[{"containerPort":53}]}]})",
            R"({"containers":[{"name":"a","ports":[{"containerPort":53,"protocol":"TCP"},{"containerPort":53,"protocol":"UDP"}]}]})") ==
        "cannot make a strategic merge patch: .spec.containers[\"a\"].ports has two items with the same "
        "\"containerPort\"; "
        "use merge_patch()");
    const auto custom = strategic_merge_patch(parsed("{}"), parsed(R"({"apiVersion":"example.com/v1","kind":"Shop"})"));
    REQUIRE_FALSE(custom);
    CHECK(custom.error() == cond::invalid);
    CHECK(custom.error().message().find("merge_patch()") != std::string::npos);
}
