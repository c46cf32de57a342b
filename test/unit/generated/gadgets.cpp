// Types that kubecoro_generate() made of gadgets.yaml: they compile with the project's warnings, and lose nothing.
#include <kubecoro/api/structs.hpp>
#include <kubecoro/api/typed_conditions.hpp>
#include <kubecoro/api/validation.hpp>

#include <boost/json/parse.hpp>

#include <gadgets/shop_v1/gadget.hpp>
#include <gadgets/shop_v1beta1/gadget.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
namespace json = boost::json;

namespace {

constexpr std::string_view text =
    R"({"apiVersion":"shop.example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"web"},)"
    R"("spec":{"name":"lamp","size":3,"serial":5000000000,"weight":1.5,"fragile":false,"made":"2026-01-31T12:00:00Z",)"
    R"("picture":"aGk=","warranty":"2160h","port":"http","memory":"64Mi","anything":{"x":[1]},"class":"b",)"
    R"("odd-name?":"odd","tags":["t"],"grid":[[1,2],[3]],"prices":{"eu":2.5},"parts":[{"a-b":{"x":"1"},"aB":{"y":"2"}}],)"
    R"("template":{"metadata":{"labels":{"k":"v"}},"spec":{"free":true}},"later":1},"status":{"ready":2}})";

typed_object<shop_v1::gadget> gadget_object() { return typed_object<shop_v1::gadget>(object::parse(text).value()); }

} // namespace

// A value that is misspelt does not compile. One of a newer definition is read, and kept.
void upgrade(shop_v1::gadget& gadget)
{
    using grades = shop_v1::gadget_spec::grade_values;
    if (gadget.spec.grade == grades::plain) gadget.spec.grade = grades::deluxe;
}

TEST_CASE("a generated struct loses nothing of a custom resource", "[generated]")
{
    const auto read = read_struct<shop_v1::gadget>(gadget_object());
    REQUIRE(read);
    CHECK(json::parse(to_text(*read)) == json::parse(text));
    CHECK(read->spec.memory == quantity::bytes(64 << 20));
    CHECK(read->spec.parts.at(0).aB->y == "2");
    CHECK(read->spec.template_->metadata->labels.at("k") == "v");
    CHECK_FALSE(read_struct<shop_v1::gadget>(gadget_object(), struct_rules::strict)); // spec.later
}

TEST_CASE("a generated view reads a custom resource in place", "[generated]")
{
    const auto gadget = gadget_object();
    CHECK(gadget->spec().name() == "lamp");
    CHECK(gadget->spec().size() == 3);
    CHECK_FALSE(gadget->spec().fragile());
    CHECK(gadget->spec().odd_name_() == "odd");
    CHECK(gadget->spec().grid()[0][1] == 2);
    CHECK(gadget->status().ready() == 2);
}

TEST_CASE("each version has its type", "[generated]")
{
    const auto v1 = shop_v1::gadget::resource();
    CHECK(v1.api_version() == "shop.example.com/v1");
    CHECK(v1.plural == "gadgets");
    CHECK(shop_v1beta1::gadget::resource().version == "v1beta1");
    const shop_v1beta1::gadget made{.metadata = {.name = "b"}, .spec = {.name = "n"}};
    CHECK(to_text(made) ==
          R"({"apiVersion":"shop.example.com/v1beta1","kind":"Gadget","metadata":{"name":"b"},"spec":{"name":"n"}})");
}

TEST_CASE("a new condition has all that a definition requires", "[generated][conditions]")
{
    const auto schema = object_schema::of<shop_v1::gadget>().value();
    shop_v1::gadget made{.metadata = {.name = "b"}, .spec = {.name = "n"}};
    CHECK(set_condition(made, {.type = "Ready", .status = "Unknown"}, wall_time()));
    CHECK(schema.check(json::parse(to_text(made))));
    made.status.conditions.at(0).message.reset();
    CHECK_FALSE(schema.check(json::parse(to_text(made))));
}

TEST_CASE("a value outside of its enumeration survives", "[generated]")
{
    shop_v1::gadget made{.metadata = {.name = "a"}, .spec = {.grade = shop_v1::gadget_spec::grade_values::plain}};
    upgrade(made);
    CHECK(to_text(made).find(R"("grade":"Deluxe")") != std::string::npos);
    made.spec.grade = "Ultra";
    upgrade(made);
    const auto read = read_struct(to_object(made).value(), struct_rules::strict);
    REQUIRE(read);
    CHECK(read->spec.grade == "Ultra");
}
