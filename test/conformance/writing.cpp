// Conformance cases: writes that read, compare and try again.
#include "cluster_under_test.hpp"

#include <kubecoro/api/patch.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/client/writing.hpp>

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <string>

using namespace kubecoro;
using namespace kubecoro::conformance;
namespace json = boost::json;

namespace {

const resource_type maps = untyped::config_map::resource();
const resource_type deployments = untyped::deployment::resource();

void set_two(json::object& o) { field(o, "data", "k") = "2"; }

/// An owner and the key of what it owns.
object owner_in(cluster_under_test& c, const std::string& name)
{
    return c.run(c.in_ns(maps).create(config_map(name))).value();
}

object made(cluster_under_test& c, const std::string& text) { return c.run(c.in_ns(deployments).create(text)).value(); }

const wall_time noon{std::chrono::seconds{1769860800}};

} // namespace

TEST_CASE("create_or_update creates once, and then writes only changes", "[conformance][writing]")
{
    cluster_under_test c;
    const object_key key{c.ns(), "a"};
    const auto owner = owner_in(c, "owner");
    const auto edit = [&owner](json::object& o) {
        set_two(o);
        set_controller_reference(owner, o);
    };
    const auto first = c.run(create_or_update(c.api(), maps, key, edit)).value();
    CHECK(first.effect == write_effect::created);
    CHECK(is_controlled_by(first.now, owner));
    const auto second = c.run(create_or_update(c.api(), maps, key, edit)).value();
    CHECK(second.effect == write_effect::unchanged);
    CHECK(second.now.resource_version() == first.now.resource_version());
    const auto third = c.run(create_or_update(c.api(), maps, key, [](json::object& o) { set_label(o, "a", "b"); }));
    CHECK(third->effect == write_effect::updated);
    CHECK(third->now["data"]["k"].as_string() == "2");
    CHECK(third->now.labels()["a"].as_string() == "b");
}

TEST_CASE("an edit of an old state is made again on the newest", "[conformance][writing]")
{
    cluster_under_test c;
    const object_key key{c.ns(), "a"};
    edit_options stale;
    stale.known = owner_in(c, "a");
    const auto other =
        c.run(retry_on_conflict(c.api(), maps, key, [](json::object& o) { field(o, "data", "x") = "1"; }));
    REQUIRE(other);
    const auto done = c.run(create_or_patch(c.api(), maps, key, set_two, stale)).value();
    CHECK(done.now["data"]["x"].as_string() == "1");
    CHECK(done.now["data"]["k"].as_string() == "2");
    CHECK(done.now.resource_version() != other->now.resource_version());
    CHECK(c.run(retry_on_conflict(c.api(), maps, {c.ns(), "none"}, set_two)).error() == cond::not_found);
}

TEST_CASE("get_or_none finds nothing without failing", "[conformance][writing]")
{
    cluster_under_test c;
    const auto none = c.run(get_or_none(c.api(), maps, {c.ns(), "none"}));
    REQUIRE(none);
    CHECK_FALSE(*none);
}

TEST_CASE("patch_status writes the status of this object and nothing else", "[conformance][writing]")
{
    cluster_under_test c;
    const auto shop = made(c, deployment("shop", 0));
    const auto patched = c.run(patch_status(c.api(), shop, {{"observedGeneration", 1}, {"replicas", 7}})).value();
    CHECK(patched["status"]["replicas"].as_int64() == 7);
    CHECK(patched.generation() == shop.generation());
    const auto again = c.run(patch_status(c.api(), patched, {{"replicas", 7}})).value();
    CHECK(again.resource_version() == patched.resource_version());

    REQUIRE(c.run(remove_and_wait(c.api(), deployments, {c.ns(), "shop"})));
    CHECK(c.run(patch_status(c.api(), shop, {{"replicas", 8}})).error() == cond::not_found);
    const auto successor = made(c, deployment("shop", 0));
    const auto refused = c.run(patch_status(c.api(), shop, {{"replicas", 8}}));
    CHECK(refused.error() == cond::not_found);
    const auto untouched = c.run(c.in_ns(deployments).get("shop")).value();
    CHECK(untouched.same_uid(successor));
    CHECK(untouched["status"]["replicas"].as_int64() != 8);
}

TEST_CASE("conditions are edited in the status, and only there", "[conformance][writing]")
{
    cluster_under_test c;
    const auto shop = made(c, deployment("shop", 0));
    const auto ready = [](json::object& o) {
        status_condition available{.type = "Available", .status = "True", .reason = "Tested"};
        set_condition(o, available, noon);
    };
    const auto first = c.run(edit_status(c.api(), shop, ready)).value();
    const auto condition = find_condition(first.now, "Available");
    CHECK(condition["status"].as_string() == "True");
    CHECK(condition["lastTransitionTime"].as_string() == "2026-01-31T12:00:00Z");
    CHECK(c.run(edit_status(c.api(), first.now, ready))->effect == write_effect::unchanged);
    const auto wrong = [](json::object& o) { field(o, "spec", "replicas") = 3; };
    CHECK(c.run(edit_status(c.api(), first.now, wrong)).error() == cond::invalid);
}

TEST_CASE("finalizers hold an object until the last is removed", "[conformance][writing]")
{
    cluster_under_test c;
    const auto map = owner_in(c, "a");
    const auto one = c.run(ensure_finalizer(c.api(), map, "example.com/one")).value();
    // From an old state, as an informer may have it.
    const auto both = c.run(ensure_finalizer(c.api(), map, "example.com/two")).value();
    CHECK(has_finalizer(both, "example.com/one"));
    CHECK(has_finalizer(both, "example.com/two"));
    REQUIRE(c.run(c.in_ns(maps).remove("a")));
    CHECK(c.run(ensure_finalizer(c.api(), both, "example.com/three")).error() == cond::invalid);
    const auto left = c.run(remove_finalizer(c.api(), one, "example.com/one")).value();
    CHECK(left.being_deleted());
    REQUIRE(c.run(remove_finalizer(c.api(), left, "example.com/two")));
    CHECK(c.run(c.in_ns(maps).get("a")).error() == cond::not_found);
    const auto gone = c.run(remove_finalizer(c.api(), left, "example.com/two"));
    REQUIRE(gone);
    CHECK_FALSE(*gone);
    CHECK(c.run(ensure_finalizer(c.api(), map, "example.com/one")).error() == cond::not_found);
}

TEST_CASE("a removal is awaited, or fails naming what holds the object", "[conformance][writing]")
{
    cluster_under_test c;
    const object_key key{c.ns(), "a"};
    const auto map = owner_in(c, "a");
    const auto held = c.run(ensure_finalizer(c.api(), map, "example.com/one")).value();
    const auto late = c.run(remove_and_wait(c.api(), maps, key, delete_options(), std::chrono::milliseconds(300)));
    CHECK(late.error() == cond::timed_out);
    CHECK(late.error().message().find("example.com/one") != std::string::npos);
    REQUIRE(c.run(remove_finalizer(c.api(), held, "example.com/one")));
    CHECK(c.run(remove_and_wait(c.api(), maps, key)));
}

TEST_CASE("a strategic patch made from two versions merges lists as it says", "[conformance][writing]")
{
    cluster_under_test c;
    const auto shop = made(c, deployment("shop", 0));
    const auto before = shop.to_json().as_object();
    json::object after = before;
    auto& containers = field(after, "spec", "template", "spec", "containers").as_array();
    containers[0].as_object()["env"] = json::array{json::object{{"name", "A"}, {"value", "1"}}};
    const json::object extra{{"name", "extra"}, {"image", "example.com/extra"}};
    containers.insert(containers.begin(), extra);
    const auto patch = strategic_merge_patch(before, after).value();
    const auto patched =
        c.run(c.in_ns(deployments).patch("shop", patch_kind::strategic_merge, json::value(patch))).value();
    const auto items = patched.path("spec.template.spec.containers");
    REQUIRE(items.size() == 2);
    CHECK(items[std::size_t{0}]["name"].as_string() == "extra");
    CHECK(items[std::size_t{1}]["env"][std::size_t{0}]["value"].as_string() == "1");
}

TEST_CASE("a file of manifests is applied, definitions first", "[conformance][writing]")
{
    cluster_under_test c;
    const auto plural = c.unique("shops");
    const std::string text = R"(
apiVersion: )" + plural + R"(.example.com/v1
kind: Shop
metadata: {name: front}
spec: {image: "a:1"}
---
kind: List
apiVersion: v1
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {on: "yes"}}
---
# A definition that the first object needs.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: )" + plural +
                             "." + plural + R"(.example.com}
spec:
  group: )" + plural + R"(.example.com
  scope: Namespaced
  names: {plural: )" + plural +
                             R"(, kind: Shop}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";
    write_options how{.field_manager = "conformance"};
    const auto objects = load_manifests(text, "shop.yaml").value();
    const auto stored = c.run(apply_all(c.api(), objects, how, c.ns()));
    INFO((stored ? std::string() : stored.error().describe()));
    REQUIRE(stored);
    REQUIRE(stored->size() == 3);
    CHECK((*stored)[0].kind() == "CustomResourceDefinition");
    CHECK((*stored)[1].ns() == c.ns());
    CHECK((*stored)[1]["spec"]["image"].as_string() == "a:1");
    CHECK((*stored)[2]["data"]["true"].as_string() == "yes");
    const auto again = c.run(apply_all(c.api(), objects, how, c.ns())).value();
    CHECK(again[1].resource_version() == (*stored)[1].resource_version());
    CHECK(again[2].resource_version() == (*stored)[2].resource_version());

    // The kind is known by now, so its status may be patched by kind.
    const auto patched = c.run(ensure_finalizer(c.api(), again[1], "example.com/one")).value();
    REQUIRE(c.run(remove_finalizer(c.api(), patched, "example.com/one")));
    REQUIRE(c.run(
        c.api().remove(untyped::custom_resource_definition::resource(), "", plural + "." + plural + ".example.com")));
}

TEST_CASE("applied one by one, an object that is refused does not keep the others", "[conformance][writing]")
{
    cluster_under_test c;
    const std::string text = R"(
{apiVersion: v1, kind: ConfigMap, metadata: {name: first}, data: {a: "1"}}
---
{apiVersion: example.com/v9, kind: Gadget, metadata: {name: g}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: second}, data: 7}
---
{apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: b}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: third}}
)";
    write_options how{.field_manager = "conformance"};
    const auto objects = load_manifests(text, "maps.yaml").value();
    std::string seen;
    const auto note = [&](const applied_manifest& one) {
        seen += one.type.kind + (one.stored ? "+ " : "- ");
        return true;
    };
    REQUIRE(c.run(apply_each(c.api(), objects, how, c.ns(), note)));
    CHECK(seen == "ConfigMap+ - ConfigMap- - ConfigMap+ ");
    REQUIRE(c.run(c.in_ns(maps).get("third")));

    int turns = 0;
    const auto stop = [&](const applied_manifest& one) {
        ++turns;
        return one.stored.has_value();
    };
    REQUIRE(c.run(apply_each(c.api(), objects, how, c.ns(), stop)));
    CHECK(turns == 2);
}
