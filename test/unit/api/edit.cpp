#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <string>

using namespace kubecoro;
namespace json = boost::json;

namespace {

const resource_type deployment = untyped::deployment::resource();
const resource_type node = untyped::node::resource();

json::object shop() { return new_object(deployment, {"web", "shop"}); }

object owner_in(const std::string& ns, const std::string& name = "front", const std::string& uid = "u-1")
{
    json::object o = new_object({"example.com", "v1", "shops", "Shop"}, {ns, name});
    field(o, "metadata", "uid") = uid;
    return object::from_json(o).value();
}

std::string text_of(const json::object& o, std::initializer_list<std::string_view> path)
{
    const auto* v = find_field(o, path);
    return v ? json::serialize(*v) : "none";
}

/// The failure that an edit throws.
template<class Edit>
failure refused(const Edit& edit)
{
    try {
        edit();
    } catch (const error& e) {
        return e.why();
    }
    return failure(cond::internal, "was not refused");
}

const wall_time noon{std::chrono::seconds{1769860800}};

} // namespace

TEST_CASE("edit: a new object has its kind and its key, and a namespace only where there is one", "[api][edit]")
{
    CHECK(json::serialize(shop()) ==
          R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop","namespace":"web"}})");
    CHECK(text_of(new_object(node, {"web", "n1"}), {"metadata"}) == R"({"name":"n1"})");
    CHECK(text_of(new_object(deployment, {"", "shop"}), {"metadata"}) == R"({"name":"shop"})");
}

TEST_CASE("edit: fields are made on the way, and names are taken as they are", "[api][edit]")
{
    json::object o = shop();
    field(o, "spec", "replicas") = 3;
    field(o, "spec", "template", "metadata", "annotations", "example.com/a.b") = "x";
    CHECK(text_of(o, {"spec"}) == R"({"replicas":3,"template":{"metadata":{"annotations":{"example.com/a.b":"x"}}}})");
    CHECK(find_field(o, "spec", "template", "spec") == nullptr);
    CHECK(find_field(o, "spec", "replicas", "deeper") == nullptr);
    REQUIRE(find_field(o, "spec", "replicas") != nullptr);
    CHECK(find_field(o, "spec", "replicas")->as_int64() == 3);

    field(o, "spec", "replicas", "deeper") = true;
    CHECK(text_of(o, {"spec", "replicas"}) == R"({"deeper":true})");
}

TEST_CASE("edit: labels and annotations say whether they changed", "[api][edit]")
{
    json::object o = shop();
    CHECK_FALSE(remove_label(o, "app"));
    CHECK_FALSE(remove_annotation(o, "app"));
    CHECK(o == shop());
    CHECK(set_label(o, "app", "shop"));
    CHECK_FALSE(set_label(o, "app", "shop"));
    CHECK(set_label(o, "app", "other"));
    CHECK(set_annotation(o, "example.com/since", "now"));
    CHECK_FALSE(set_annotation(o, "example.com/since", "now"));
    CHECK(text_of(o, {"metadata", "labels"}) == R"({"app":"other"})");
    CHECK(text_of(o, {"metadata", "annotations"}) == R"({"example.com/since":"now"})");
    CHECK(remove_label(o, "app"));
    CHECK(remove_annotation(o, "example.com/since"));
    CHECK(text_of(o, {"metadata", "labels"}) == "{}");
}

TEST_CASE("edit: a finalizer is there once, and all of its copies go", "[api][edit]")
{
    json::object o = shop();
    CHECK_FALSE(remove_finalizer(o, "a/b"));
    CHECK(add_finalizer(o, "a/b"));
    CHECK_FALSE(add_finalizer(o, "a/b"));
    CHECK(add_finalizer(o, "c/d"));
    CHECK(text_of(o, {"metadata", "finalizers"}) == R"(["a/b","c/d"])");
    const auto with = object::from_json(o).value();
    CHECK(has_finalizer(with, "c/d"));
    CHECK_FALSE(has_finalizer(with, "c"));
    CHECK_FALSE(has_finalizer(object(), "c/d"));
    field(o, "metadata", "finalizers") = json::array{"a/b", 1, "a/b", "c/d"};
    CHECK(remove_finalizer(o, "a/b"));
    CHECK(text_of(o, {"metadata", "finalizers"}) == R"([1,"c/d"])");
}

TEST_CASE("edit: an owner is the controller, or one of several owners", "[api][edit]")
{
    const auto front = owner_in("web");
    json::object o = shop();
    set_controller_reference(front, o);
    CHECK(
        text_of(o, {"metadata", "ownerReferences"}) ==
        R"([{"apiVersion":"example.com/v1","kind":"Shop","name":"front","uid":"u-1","controller":true,"blockOwnerDeletion":true}])");
    const auto once = o;
    set_controller_reference(front, o);
    CHECK(o == once);

    const auto back = owner_in("web", "back", "u-2");
    set_owner_reference(back, o);
    const auto controlled = object::from_json(o).value();
    CHECK(is_controlled_by(controlled, front));
    CHECK_FALSE(is_controlled_by(controlled, back));
    CHECK_FALSE(is_controlled_by(controlled, owner_in("web", "front", "u-9")));
    CHECK_FALSE(is_controlled_by(object(), front));

    CHECK(remove_owner_reference(front, o));
    CHECK_FALSE(remove_owner_reference(front, o));
    CHECK(text_of(o, {"metadata", "ownerReferences"}) ==
          R"([{"apiVersion":"example.com/v1","kind":"Shop","name":"back","uid":"u-2"}])");
    json::object none = shop();
    CHECK_FALSE(remove_owner_reference(front, none));
    CHECK(none == shop());
}

TEST_CASE("edit: an owner reference blocks deletion as asked", "[api][edit]")
{
    const auto front = owner_in("web");
    json::object o = shop();
    set_controller_reference(front, o, false);
    CHECK(find_field(o, "metadata", "ownerReferences")->at(0).as_object().contains("blockOwnerDeletion") == false);
    set_owner_reference(front, o, true);
    CHECK(text_of(o, {"metadata", "ownerReferences"}) ==
          R"([{"apiVersion":"example.com/v1","kind":"Shop","name":"front","uid":"u-1","blockOwnerDeletion":true}])");
}

TEST_CASE("edit: the reference to an owner that was made again, or in another version, is renewed", "[api][edit]")
{
    json::object o = shop();
    set_controller_reference(owner_in("web"), o);
    field(o, "metadata", "ownerReferences").as_array()[0].as_object()["apiVersion"] = "example.com/v1beta1";
    set_controller_reference(owner_in("web", "front", "u-2"), o);
    const auto& list = find_field(o, "metadata", "ownerReferences")->as_array();
    REQUIRE(list.size() == 1);
    CHECK(list[0].at("uid") == "u-2");
    CHECK(list[0].at("apiVersion") == "example.com/v1");
}

TEST_CASE("edit: owners that the garbage collector would not find are refused", "[api][edit]")
{
    json::object o = shop();
    const auto other = refused([&] { set_controller_reference(owner_in("jobs"), o); });
    CHECK(other == cond::invalid);
    CHECK(other.message() ==
          "Shop \"jobs/front\" cannot own Deployment \"web/shop\": they are in different namespaces");
    json::object n = new_object(node, {"", "n1"});
    CHECK(refused([&] { set_owner_reference(owner_in("web"), n); }).message() ==
          "Shop \"web/front\" cannot own Node \"n1\": an owner in a namespace cannot own an object in none; set its "
          "metadata.namespace before");
    CHECK(refused([&] { set_owner_reference(object(), o); }).message().find("no uid") != std::string::npos);
    CHECK(refused([&] { set_owner_reference(owner_in("web", "front", ""), o); }) == cond::invalid);
    CHECK(o == shop());

    set_owner_reference(owner_in(""), o); // an owner without a namespace may own objects in any
    set_owner_reference(owner_in(""), n);
    CHECK(text_of(n, {"metadata", "ownerReferences"}) != "none");
}

TEST_CASE("edit: an object has one controller", "[api][edit]")
{
    json::object o = shop();
    set_controller_reference(owner_in("web"), o);
    const auto before = o;
    const auto second = refused([&] { set_controller_reference(owner_in("web", "back\n", "u-2"), o); });
    CHECK(second.message() ==
          "Shop \"web/back \" cannot own Deployment \"web/shop\": Shop \"front\" is its controller");
    CHECK(o == before);
}

TEST_CASE("edit: a condition's transition time changes with its status alone", "[api][edit]")
{
    json::object o = shop();
    status_condition ready{.type = "Ready", .status = "False", .reason = "Starting", .observed_generation = 1};
    CHECK(set_condition(o, ready, noon));
    CHECK(
        text_of(o, {"status", "conditions"}) ==
        R"([{"type":"Ready","reason":"Starting","message":"","status":"False","lastTransitionTime":"2026-01-31T12:00:00Z","observedGeneration":1}])");
    const auto later = noon + std::chrono::hours(1);
    CHECK_FALSE(set_condition(o, ready, later));
    // Servers drop empty texts from the conditions of some kinds.
    field(o, "status", "conditions").as_array()[0].as_object().erase("message");
    CHECK_FALSE(set_condition(o, ready, later));
    ready.message = "2 of 3";
    ready.observed_generation = 2;
    CHECK(set_condition(o, ready, later));
    CHECK(find_field(o, "status", "conditions")->at(0).at("lastTransitionTime") == "2026-01-31T12:00:00Z");
    CHECK(find_field(o, "status", "conditions")->at(0).at("observedGeneration") == 2);
    ready.status = "True";
    CHECK(set_condition(o, ready, later));
    CHECK(find_field(o, "status", "conditions")->at(0).at("lastTransitionTime") == "2026-01-31T13:00:00Z");
}

TEST_CASE("edit: conditions of other types and unknown members stay", "[api][edit]")
{
    json::object o = shop();
    field(o, "status", "conditions") = json::array{json::object{{"type", "Ready"}, {"status", "True"}, {"own", 1}},
                                                   json::object{{"type", "Progressing"}, {"status", "True"}}};
    status_condition ready{.type = "Ready", .status = "True"};
    CHECK(set_condition(o, ready, noon));
    const auto o1 = object::from_json(o).value();
    const auto found = find_condition(o1, "Ready");
    CHECK(found["own"].as_int64() == 1);
    CHECK(found["lastTransitionTime"].as_string() == "2026-01-31T12:00:00Z");
    CHECK_FALSE(found["observedGeneration"]);
    CHECK(find_condition(o1, "Progressing")["status"].as_string() == "True");
    CHECK_FALSE(find_condition(o1, "Other"));
    CHECK(remove_condition(o, "Ready"));
    CHECK_FALSE(remove_condition(o, "Ready"));
    CHECK(text_of(o, {"status", "conditions"}) == R"([{"type":"Progressing","status":"True"}])");
    json::object none = shop();
    CHECK_FALSE(remove_condition(none, "Ready"));
    CHECK(none == shop());
}
