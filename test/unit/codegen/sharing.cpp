#include "emit/sharing.hpp"

#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>

#include <boost/json/parse.hpp>

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <string>

using namespace kubecoro::codegen;
namespace json = boost::json;

namespace {

constexpr std::string_view lock = R"({"type":"object","description":"Shut.","required":["key"],"properties":)"
                                  R"({"key":{"type":"string","enum":["a","b"],"description":"Fits."}}})";

json::value definition(const std::string& kind, json::object spec)
{
    auto names = json::object{{"kind", kind}, {"plural", kind == "Crate" ? "crates" : "boxes"}};
    auto schema = json::object{{"type", "object"},
                               {"properties", {{"spec", {{"type", "object"}, {"properties", std::move(spec)}}}}}};
    return {
        {"apiVersion", "apiextensions.k8s.io/v1"},
        {"kind", "CustomResourceDefinition"},
        {"metadata", {{"name", kind}}},
        {"spec",
         {{"group", "shop.example.com"},
          {"names", std::move(names)},
          {"scope", "Namespaced"},
          {"versions", {{{"name", "v1"}, {"served", true}, {"schema", {{"openAPIV3Schema", std::move(schema)}}}}}}}}};
}

/// As many properties, each a part that holds a lock.
json::object doors(std::size_t count)
{
    json::object out;
    for (std::size_t i = 0; i < count; ++i)
        out["door" + std::to_string(i)] = {{"type", "object"}, {"properties", {{"lock", json::parse(lock)}}}};
    return out;
}

/// More parts than a group and version may have with a type for each.
json::object many_doors() { return doors(most_own_types / 2 + 1); }

model read(std::vector<json::value> definitions) { return read_crds(definitions, "shop.yaml").value(); }

shared_model shared(std::vector<json::value> definitions)
{
    const auto m = read(std::move(definitions));
    return share_equal_parts(m, m.kinds);
}

const std::string spec = "com.example.shop.v1.CrateSpec";

/// The message that is the type of the lock of a door.
std::string type_of_lock(const shared_model& m, const std::string& door)
{
    return m.types.messages.at(spec + door).fields.at(0).type.message;
}

/// That of a door whose lock differs from the others.
std::string type_of_other_lock(std::string_view from, std::string_view to)
{
    std::string text(lock);
    text.replace(text.find(from), from.size(), to);
    auto all = many_doors();
    all["door1"].at("properties").at("lock") = json::parse(text);
    return type_of_lock(shared({definition("Crate", std::move(all))}), "Door1");
}

} // namespace

TEST_CASE("equal parts of a large definition share the type with the shortest name", "[codegen][sharing]")
{
    const auto m = shared({definition("Crate", many_doors())});
    CHECK(type_of_lock(m, "Door0") == spec + "Door0Lock");
    CHECK(type_of_lock(m, "Door1") == spec + "Door0Lock");
    CHECK_FALSE(m.types.messages.contains(spec + "Door1Lock"));
    const auto& others = m.others.at("com.example.shop.v1.Crate");
    CHECK(others.size() == most_own_types / 2);
    CHECK(others.front() == other_name{spec + "Door100Lock", spec + "Door0Lock"});
}

TEST_CASE("parts share no type unless there are many of them", "[codegen][sharing]")
{
    const auto m = shared({definition("Crate", doors(most_own_types / 2 - 1))});
    CHECK(type_of_lock(m, "Door1") == spec + "Door1Lock");
    CHECK(m.others.empty());
}

TEST_CASE("parts that generated code shows as different share no type", "[codegen][sharing]")
{
    CHECK(type_of_other_lock("Shut.", "Shut.") == spec + "Door0Lock");
    CHECK(type_of_other_lock("Shut.", "Open.") == spec + "Door1Lock");
    CHECK(type_of_other_lock("Fits.", "Does not.") == spec + "Door1Lock");
    CHECK(type_of_other_lock(R"(["a","b"])", R"(["a","c"])") == spec + "Door1Lock");
    CHECK(type_of_other_lock(R"("type":"string","enum":["a","b"])", R"("type":"integer")") == spec + "Door1Lock");
    CHECK(type_of_other_lock(R"("required":["key"],)", "") == spec + "Door1Lock");
    CHECK(type_of_other_lock(R"("required":["key"],)", R"("nullable":true,"required":["key"],)") == spec + "Door0Lock");
    CHECK(type_of_other_lock(R"("key":{)", R"("code":{)") == spec + "Door1Lock");
}

TEST_CASE("a part is compared with all that it holds, and shares no type with that of another property",
          "[codegen][sharing]")
{
    auto all = many_doors();
    const auto gate =
        json::parse(R"({"type":"object","properties":{"bars":{"type":"array","items":)" + std::string(lock) + "}}}");
    auto other = gate;
    other.at("properties").at("bars").at("items").at("description") = "Bent.";
    all["left"] = {{"type", "object"}, {"properties", {{"gate", gate}, {"latch", json::parse(lock)}}}};
    all["right"] = {{"type", "object"}, {"properties", {{"gate", gate}}}};
    all["back"] = {{"type", "object"}, {"properties", {{"gate", other}}}};
    const auto m = shared({definition("Crate", std::move(all))});
    CHECK(type_of_lock(m, "Right") == spec + "LeftGate");
    CHECK(type_of_lock(m, "Back") == spec + "BackGate");
    CHECK(m.types.messages.at(spec + "Left").fields.at(1).type.message == spec + "LeftLatch");
}

TEST_CASE("kinds of one group and version share types, and kinds themselves do not", "[codegen][sharing]")
{
    const auto m = shared({definition("Crate", many_doors()), definition("Box", many_doors())});
    CHECK(m.types.messages.contains("com.example.shop.v1.Crate"));
    CHECK(m.types.messages.contains("com.example.shop.v1.Box"));
    // "BoxSpecDoor0" is shorter.
    CHECK(m.types.messages.at("com.example.shop.v1.Crate").fields.at(1).type.message == "com.example.shop.v1.BoxSpec");
    CHECK(m.others.at("com.example.shop.v1.Crate").size() == 2 * most_own_types / 2 + 3);
}

TEST_CASE("a part that shares a type keeps its name in the header of its kind", "[codegen][sharing]")
{
    const auto files = generate(read({definition("Crate", many_doors())}),
                                {.exists = [](const auto& name) { return name.ends_with(".ObjectMeta"); }})
                           .value();
    const auto header = std::ranges::find(files, "kubecoro/shop_v1/crate.hpp", &generated_file::path);
    REQUIRE(header != files.end());
    CHECK(header->text.find("struct crate_spec_door0_lock\n") != std::string::npos);
    CHECK(header->text.find("struct crate_spec_door1_lock\n") == std::string::npos);
    CHECK(header->text.find("\nusing crate_spec_door1_lock = crate_spec_door0_lock;\n") != std::string::npos);
}
