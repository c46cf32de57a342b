// Random objects of definitions, made from their schemas. KUBECORO_SEED=N repeats a run; KUBECORO_LONG makes 10,000 of each kind.
#include "kind_checks.hpp"

#include <kubecoro/api/validation.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/random_amount.hpp>
#include <kubecoro/test/schema_objects.hpp>

#include <boost/json/serialize.hpp>

#include <kubecoro/test/catch.hpp>

#include <fstream>
#include <iterator>
#include <sstream>

using namespace kubecoro;
namespace json = boost::json;

namespace {

/// KUBECORO_DEFINITIONS names the files, with colons in between.
std::vector<json::object> definitions()
{
    std::vector<json::object> out;
    std::istringstream files(KUBECORO_DEFINITIONS);
    for (std::string file; std::getline(files, file, ':');) {
        std::ifstream in(file, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        for (auto& document : load_manifests(text, file).value())
            if (document.at("kind") == "CustomResourceDefinition") out.push_back(std::move(document.as_object()));
    }
    return out;
}

std::string text_at(const json::object& in, std::string_view pointer)
{
    return std::string(json::value(in).at_pointer(pointer).as_string());
}

/// Checks that the struct carries the schema of its version.
void check_carried(const resource_type& type, const json::object& version)
{
    const json::value carried = test::definition_in_code(type.api_version(), type.kind);
    REQUIRE(carried.as_object().contains("spec"));
    CHECK(carried.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties") ==
          version.at("schema").at_pointer("/openAPIV3Schema/properties"));
}

/// Checks objects of one version of a definition. Returns the share of its properties that they had.
void check_version(const json::object& definition, const json::object& version, const test::random_amount& count)
{
    const resource_type type(text_at(definition, "/spec/group"), text_at(version, "/name"),
                             text_at(definition, "/spec/names/plural"), text_at(definition, "/spec/names/kind"));
    REQUIRE(test::has_struct(type.api_version(), type.kind));
    check_carried(type, version);
    const auto schema = object_schema::of_crd(definition, text_at(version, "/name")).value();
    test::schema_objects maker(version.at("schema").at("openAPIV3Schema").as_object(), count.seed);
    for (std::size_t i = 0; i < count.each; ++i) {
        const auto made = maker.make(type, i == 0 ? test::content::full : test::content::plain);
        INFO("object " << i << " of " << type.kind << ", KUBECORO_SEED=" << count.seed);
        REQUIRE(made);
        INFO(json::serialize(*made));
        for (const auto& wrong : schema.structural_errors(*made)) FAIL(wrong.field << ": " << wrong.message());
        CHECK(schema.unknown_fields(*made).empty());
        for (const auto& problem : test::problems_of(*made, false)) FAIL(problem);
    }
    // The objects have what the schema has.
    std::string missing;
    for (const auto& path : maker.missing()) missing += ' ' + path;
    INFO(type.kind << " has never had" << missing);
    CHECK(missing.empty());
}

} // namespace

TEST_CASE("random objects of definitions survive their structs, and views read their JSON", "[crds][random]")
{
    const auto count = test::wanted_amount();
    std::size_t kinds = 0;
    for (const auto& definition : definitions())
        for (const auto& version : definition.at("spec").at("versions").as_array()) {
            if (!version.at("served").as_bool()) continue;
            check_version(definition, version.as_object(), count);
            ++kinds;
        }
    WARN(kinds << " kinds, " << count.each << " objects of each, seed " << count.seed);
    CHECK(kinds > 0);
    CHECK(kinds == test::struct_count());
}
