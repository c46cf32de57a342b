// A definition becomes types, and the types become a definition again: both say the same.
#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/described.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>

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
    micro_timestamp sighted;
    go_duration watch;
    int_or_string berth;
    bytes flag;
    json::value log;
    boxed<deck> bridge;
    std::vector<deck> decks;
    std::map<std::string, std::vector<quantity>> cargo;
};
BOOST_DESCRIBE_STRUCT(ship_spec, (),
                      (name, afloat, tonnes, draught, fuel, launched, sighted, watch, berth, flag, log, bridge, decks,
                       cargo))

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

TEST_CASE("a definition, its generated structs, and their definition are equal", "[generated][definition]")
{
    const auto original = definition_in_file();
    const json::value again =
        definition_of<shop_v1::gadget>({.other_versions = {version_of<shop_v1beta1::gadget>()}}).value();
    CHECK(again == original);
    check_equal(model_of(original), model_of(again));
}

TEST_CASE("options change the definition of a generated struct, and nothing else of it", "[generated][definition]")
{
    const crd_options changes{.short_names = {"gg"},
                              .labels = {{"team", "shop"}},
                              .version = {.description = "Another one.",
                                          .status_subresource = false,
                                          .columns = {{.name = "Name", .json_path = ".spec.name"}}}};
    json::value changed = definition_of<shop_v1::gadget>(changes).value();
    CHECK(changed.at_pointer("/spec/names/shortNames") == json::parse(R"(["gg"])"));
    CHECK(changed.at_pointer("/metadata/labels/team") == "shop");
    auto& version = changed.at_pointer("/spec/versions/0").as_object();
    CHECK(changed.at_pointer("/spec/versions").as_array().size() == 1);
    CHECK(version.at("schema").at_pointer("/openAPIV3Schema/description") == "Another one.");
    CHECK(version.at("additionalPrinterColumns").as_array().size() == 1);
    CHECK((!version.contains("subresources") || !version.at("subresources").as_object().contains("status")));
    json::value same = definition_of<shop_v1::gadget>().value();
    CHECK(version.at("schema").at_pointer("/openAPIV3Schema/properties") ==
          same.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties"));
    CHECK(changed.at_pointer("/spec/names/plural") == same.at_pointer("/spec/names/plural"));
}

TEST_CASE("a described struct, its definition as YAML, and the model of that have equal fields",
          "[generated][definition]")
{
    const auto yaml = crd_yaml<ship::ship>().value();
    const auto documents = parse_documents(yaml, "ships.yaml").value();
    REQUIRE(documents.size() == 1);
    CHECK(documents[0] == json::value(definition_of<ship::ship>().value()));
    auto m = model_of(documents[0]);
    REQUIRE(m.kinds.size() == 1);
    m.kinds[0].definition = nullptr;
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
        required("sighted", scalar::micro_time),
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
