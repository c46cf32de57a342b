// Types that kubecoro_generate() made of an OpenAPI document, with parts of the library's own types.
#include <kubecoro/api/structs.hpp>

#include <boost/json/parse.hpp>

#include <toys/toys_v1/robot.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
namespace json = boost::json;

TEST_CASE("types of an OpenAPI document lose nothing of an object", "[generated]")
{
    constexpr std::string_view text =
        R"({"apiVersion":"toys.example.com/v1","kind":"Robot","metadata":{"name":"a","namespace":"web"},)"
        R"("spec":{"body":{"name":"b","parts":[{"name":"arm","spare":{"name":"hook"}}]},"power":"250m","port":8080,)"
        R"("built":"2026-01-31T12:00:00Z","extra":{"x":[1]},"near":{"matchLabels":{"k":"v"}},"tags":["t"]},)"
        R"("status":{"conditions":[{"type":"Ready","status":"True","reason":"Built","message":"",)"
        R"("lastTransitionTime":"2026-01-31T12:00:00Z"}]}})";
    const typed_object<toys_v1::robot> robot(object::parse(text).value());
    const auto read = read_struct<toys_v1::robot>(robot, struct_rules::strict);
    REQUIRE(read);
    CHECK(json::parse(to_text(*read)) == json::parse(text));
    CHECK(read->spec.power == quantity::milli(250));
    CHECK(read->spec.body.parts.at(0).spare->name == "hook");
    CHECK(robot->spec().body().parts()[0].spare().name() == "hook");
    CHECK(robot->spec().near().matchLabels()["k"] == "v");
    CHECK(toys_v1::robot::resource().namespaced);
    CHECK(toys_v1::robot::resource().plural == "robots");
}
