// A definition becomes types, and the types become a definition again: both say the same.
#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/described.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/codegen/crd.hpp>
#include <kubecoro/codegen/generate.hpp>

#include <boost/json/parse.hpp>

#include <gadgets/shop_v1/gadget.hpp>
#include <gadgets/shop_v1beta1/gadget.hpp>

#include <kubecoro/test/catch.hpp>

#include <fstream>
#include <iterator>
#include <span>

using namespace kubecoro;
namespace json = boost::json;

namespace ship {

struct deck
{
    std::string name;
    int level = 0;
};
BOOST_DESCRIBE_STRUCT(deck, (), (name, level))

struct ship_spec
{
    std::string name;
    bool afloat = true;
    std::optional<std::int64_t> tonnes;
    double draught = 0;
    quantity fuel;
    timestamp launched;
    go_duration watch;
    int_or_string berth;
    bytes flag;
    json::value log;
    boxed<deck> bridge;
    std::vector<deck> decks;
    std::map<std::string, std::vector<quantity>> cargo;
};
BOOST_DESCRIBE_STRUCT(ship_spec, (),
                      (name, afloat, tonnes, draught, fuel, launched, watch, berth, flag, log, bridge, decks, cargo))

struct ship
{
    static resource_type resource() { return {"sea.example.com", "v1", "ships", "Ship", false}; }
    meta_v1::object_meta metadata;
    ship_spec spec;
};
BOOST_DESCRIBE_STRUCT(ship, (), (metadata, spec))

} // namespace ship

namespace {

json::value definition_in_file()
{
    std::ifstream file(KUBECORO_GADGETS);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return parse_documents(text, "gadgets.yaml").value().at(0);
}

codegen::model model_of(const json::value& definition)
{
    return codegen::read_crds(std::span(&definition, 1), "a definition").value();
}

/// Leaves out what structs do not carry: words, and whether a field that is not required is filled by a default.
codegen::model comparable(codegen::model m)
{
    for (auto& [name, message] : m.messages) {
        message.description.clear();
        for (auto& field : message.fields) {
            field.description.clear();
            field.optional = false;
        }
    }
    return m;
}

void check_equal(const codegen::model& a, const codegen::model& b)
{
    CHECK(a.kinds == b.kinds);
    CHECK(a.messages.size() == b.messages.size());
    for (const auto& [name, message] : a.messages) {
        INFO(name);
        REQUIRE(b.messages.contains(name));
        const auto& other = b.messages.at(name);
        REQUIRE(message.fields.size() == other.fields.size());
        for (std::size_t i = 0; i < message.fields.size(); ++i) {
            INFO(message.fields[i].name);
            CHECK(message.fields[i] == other.fields[i]);
        }
    }
}

} // namespace

TEST_CASE("a definition, its generated structs, and their definition have equal schemas", "[generated][definition]")
{
    auto original = definition_in_file();
    // A struct has the metadata of an embedded resource as a part like others.
    original.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties")
        .as_object()
        .erase("template");
    json::value again =
        definition_of<shop_v1::gadget>({.other_versions = {version_of<shop_v1beta1::gadget>()}}).value();
    again.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties")
        .as_object()
        .erase("template");
    check_equal(comparable(model_of(original)), comparable(model_of(again)));

    CHECK(again.at("metadata").at("name") == original.at("metadata").at("name"));
    for (const auto* member : {"group", "scope"}) CHECK(again.at("spec").at(member) == original.at("spec").at(member));
    for (const auto* name : {"kind", "plural", "singular"})
        CHECK(again.at("spec").at("names").at(name) == original.at("spec").at("names").at(name));
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& a = original.at_pointer("/spec/versions").at(i);
        const auto& b = again.at_pointer("/spec/versions").at(i);
        for (const auto* member : {"name", "served", "storage"}) CHECK(a.at(member) == b.at(member));
        CHECK(a.as_object().contains("subresources") == b.as_object().contains("subresources"));
    }
    CHECK(again.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec/required") ==
          json::parse(R"(["name"])"));
}

TEST_CASE("a described struct, its definition as YAML, and the model of that have equal fields",
          "[generated][definition]")
{
    const auto yaml = crd_yaml<ship::ship>().value();
    const auto documents = parse_documents(yaml, "ships.yaml").value();
    REQUIRE(documents.size() == 1);
    CHECK(documents[0] == json::value(definition_of<ship::ship>().value()));
    const auto m = model_of(documents[0]);
    REQUIRE(m.kinds.size() == 1);
    CHECK(m.kinds[0] == codegen::kind{"sea.example.com", "v1", "Ship", "ships", false, "com.example.sea.v1.Ship"});

    using codegen::scalar;
    using form = codegen::value_shape::form;
    const auto of = [](scalar s) { return codegen::value_shape{form::scalar, s, {}, {}}; };
    const auto part = [](std::string name) { return codegen::value_shape{form::message, {}, std::move(name), {}}; };
    const std::string spec = "com.example.sea.v1.ShipSpec";
    const auto required = [&](std::string name, scalar s) {
        return codegen::field{std::move(name), of(s), false, {}, true};
    };
    const auto optional = [&](std::string name, codegen::value_shape type) {
        return codegen::field{std::move(name), std::move(type), true, {}, false};
    };
    const std::vector<codegen::field> fields{
        optional("name", of(scalar::string)),
        required("afloat", scalar::boolean),
        optional("tonnes", of(scalar::int64)),
        required("draught", scalar::number),
        required("fuel", scalar::quantity),
        required("launched", scalar::time),
        required("watch", scalar::duration),
        required("berth", scalar::int_or_string),
        optional("flag", of(scalar::bytes)),
        optional("log", of(scalar::json)),
        optional("bridge", part(spec + "Bridge")),
        optional("decks", {form::list, {}, {}, {part(spec + "Decks")}}),
        optional("cargo", {form::map, {}, {}, {{form::list, {}, {}, {of(scalar::quantity)}}}})};
    const auto& found = m.messages.at(spec).fields;
    REQUIRE(found.size() == fields.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO(fields[i].name);
        CHECK(found[i] == fields[i]);
    }
    CHECK(m.messages.at(spec + "Decks").fields ==
          std::vector{optional("name", of(scalar::string)), required("level", scalar::int32)});
    CHECK(codegen::generate(m, {.exists = codegen::is_built_in}));
}
