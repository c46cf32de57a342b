#include <kubecoro/codegen/detail/crd.hpp>
#include <kubecoro/codegen/detail/generate.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <utility>
#include <vector>

using namespace kubecoro::codegen;
namespace json = boost::json;
using form = value_shape::form;

namespace {

/// A definition of shop.example.com with one version, whose schema has these properties.
json::value crd(const json::object& root, const std::string& kind = "Gadget",
                const std::string& group = "shop.example.com")
{
    const json::value version{
        {"name", "v1"}, {"served", true}, {"storage", true}, {"schema", {{"openAPIV3Schema", root}}}};
    return {{"apiVersion", "apiextensions.k8s.io/v1"},
            {"kind", "CustomResourceDefinition"},
            {"metadata", {{"name", "gadgets." + group}}},
            {"spec",
             {{"group", group},
              {"scope", "Namespaced"},
              {"names", {{"kind", kind}, {"plural", "gadgets"}}},
              {"versions", json::array{version}}}}};
}

json::object parts(std::string_view properties, std::string_view more = "")
{
    return json::parse(R"({"type":"object","properties":{)" + std::string(properties) + "}" + std::string(more) + "}")
        .as_object();
}

model read(const json::value& document) { return read_crds(std::span(&document, 1), "crd.yaml").value(); }

std::string problem(const json::value& document)
{
    const auto m = read_crds(std::span(&document, 1), "crd.yaml");
    return m ? std::string() : m.error().message();
}

const field& spec_field(const model& m, std::string_view name)
{
    const auto& fields = m.messages.at("com.example.shop.v1.GadgetSpec").fields;
    const auto found = std::ranges::find(fields, name, &field::name);
    if (found == fields.end()) throw std::runtime_error("no field " + std::string(name));
    return *found;
}

/// The field of a spec that has this one property.
field only(const std::string& schema, std::string_view more = "")
{
    return spec_field(read(crd({{"type", "object"}, {"properties", {{"spec", parts("\"x\":" + schema, more)}}}})), "x");
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

value_shape of(scalar s) { return {form::scalar, s, {}, {}}; }

} // namespace

TEST_CASE("a definition becomes a kind whose message is named after its group", "[codegen][crd]")
{
    auto m = read(crd(parts(R"("apiVersion":{"type":"string"},"kind":{"type":"string"},)"
                            R"("metadata":{"type":"object"},"spec":{"type":"object"})")));
    REQUIRE(m.kinds.size() == 1);
    CHECK(std::exchange(m.kinds[0].definition, nullptr).at("spec").at("group") == "shop.example.com");
    CHECK(m.kinds[0] == kind{"shop.example.com", "v1", "Gadget", "gadgets", true, "com.example.shop.v1.Gadget"});
    const auto& fields = m.messages.at("com.example.shop.v1.Gadget").fields;
    REQUIRE(fields.size() == 2);
    CHECK(fields[0].name == "metadata");
    CHECK(fields[0].type.message == "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
    CHECK(m.source == "crd.yaml");
}

TEST_CASE("types and formats become scalars", "[codegen][crd]")
{
    CHECK(only(R"({"type":"string"})").type == of(scalar::string));
    CHECK(only(R"({"type":"string","format":"date-time"})").type == of(scalar::time));
    CHECK(only(R"({"type":"string","format":"byte"})").type == of(scalar::bytes));
    CHECK(only(R"({"type":"string","format":"duration"})").type == of(scalar::duration));
    CHECK(only(R"({"type":"string","format":"email"})").type == of(scalar::string));
    CHECK(only(R"({"type":"boolean"})").type == of(scalar::boolean));
    CHECK(only(R"({"type":"integer","format":"int32"})").type == of(scalar::int32));
    CHECK(only(R"({"type":"integer","format":"int64"})").type == of(scalar::int64));
    CHECK(only(R"({"type":"integer"})").type == of(scalar::int64));
    CHECK(only(R"({"type":"number","format":"double"})").type == of(scalar::number));
    CHECK(only(R"({"x-kubernetes-int-or-string":true})").type == of(scalar::int_or_string));
    CHECK(
        only(
            R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],)"
            R"("pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"})")
            .type == of(scalar::quantity));
    CHECK(only(R"({"x-kubernetes-preserve-unknown-fields":true})").type == of(scalar::json));
    CHECK(only(R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})").type == of(scalar::json));
    CHECK(only(R"({"type":"object"})").type == of(scalar::json));
    CHECK(only(R"({"type":"object","additionalProperties":false})").type == of(scalar::json));
}

TEST_CASE("lists and maps have the types of their items", "[codegen][crd]")
{
    const auto list = only(R"({"type":"array","items":{"type":"array","items":{"type":"string"}}})").type;
    CHECK(list == value_shape{form::list, {}, {}, {{form::list, {}, {}, {of(scalar::string)}}}});
    CHECK(only(R"({"type":"array"})").type == value_shape{form::list, {}, {}, {of(scalar::json)}});
    const auto map = only(R"({"type":"object","additionalProperties":{"type":"integer"}})").type;
    CHECK(map == value_shape{form::map, {}, {}, {of(scalar::int64)}});
    CHECK(only(R"({"type":"object","additionalProperties":true})").type ==
          value_shape{form::map, {}, {}, {of(scalar::json)}});
}

TEST_CASE("the values of an enumeration are kept, at any depth of lists and maps", "[codegen][crd]")
{
    using texts = std::vector<std::string>;
    CHECK(only(R"({"type":"string","nullable":true,"enum":["On","Off",null,"On"]})").type.values == texts{"On", "Off"});
    CHECK(only(R"({"type":"array","items":{"type":"string","enum":["a"]}})").type.of.at(0).values == texts{"a"});
    CHECK(only(R"({"type":"object","additionalProperties":{"type":"string","enum":["b"]}})").type.of.at(0).values ==
          texts{"b"});
    CHECK(only(R"({"type":"integer","enum":[1,-2,"3",4.5,null,1]})").type.values == texts{"1", "-2"});
    CHECK(only(R"({"type":"array","items":{"type":"integer","enum":[8]}})").type.of.at(0).values == texts{"8"});
    CHECK(only(R"({"type":"number","enum":[0.5,-1,1.0,1e20,"2",1]})").type.values == texts{"0.5", "-1", "1", "1e+20"});
    CHECK(only(R"({"type":"boolean","enum":[true]})").type.values.empty());
    CHECK(only(R"({"type":"string","format":"date-time","enum":["2026-01-31T12:00:00Z"]})").type.values.empty());
    CHECK(only(R"({"type":"string","enum":"On"})").type.values.empty());
}

TEST_CASE("values that C++ has no literal for, or that do not fit, have no constant", "[codegen][crd]")
{
    using texts = std::vector<std::string>;
    CHECK(only(R"({"type":"integer","enum":[-9223372036854775808,9223372036854775807,18446744073709551615]})")
              .type.values == texts{"9223372036854775807"});
    CHECK(only(R"({"type":"integer","format":"int32","enum":[-2147483648,2147483647,2147483648]})").type.values ==
          texts{"2147483647"});
}

TEST_CASE("an enumeration is what allOf, oneOf and anyOf leave of it", "[codegen][crd]")
{
    using texts = std::vector<std::string>;
    const auto values = [](const char* rules) {
        return only(R"({"type":"string",)" + std::string(rules) + "}").type.values;
    };
    CHECK(values(R"("allOf":[{"enum":["a","b"]},{"minLength":1},{"enum":["b","c"]}])") == texts{"b"});
    CHECK(values(R"("enum":["c","b","a"],"allOf":[{"enum":["a","b"]}])") == texts{"b", "a"});
    CHECK(values(R"("oneOf":[{"enum":["a"]},{"enum":["b","a"]}])") == texts{"a", "b"});
    CHECK(values(R"("anyOf":[{"enum":["a"]},{"allOf":[{"enum":["b"]}]}])") == texts{"a", "b"});
    // A branch without an enumeration allows anything.
    CHECK(values(R"("oneOf":[{"enum":["a"]},{"pattern":"^b"}])").empty());
    CHECK(values(R"("anyOf":[{"enum":["a"]},true])").empty());
    CHECK(values(R"("enum":["a"],"oneOf":[{"enum":["b"]},{"pattern":"^b"}])") == texts{"a"});
    CHECK(values(R"("allOf":[],"oneOf":{"enum":["a"]}, "not":{"enum":["a"]})").empty());
    std::string deep = R"("enum":["a"])";
    for (int i = 0; i < 8; ++i) deep = R"("allOf":[{)" + deep + "}]";
    CHECK(values(deep.c_str()) == texts{"a"});
    CHECK(values((R"("allOf":[{)" + deep + "}]").c_str()).empty());
}

TEST_CASE("an enumeration of a property may be in allOf, oneOf and anyOf of its object", "[codegen][crd]")
{
    using texts = std::vector<std::string>;
    const auto fields = [](const char* rules) {
        const auto m =
            read(crd(parts(R"("spec":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},)" +
                           std::string(rules) + "}")));
        return m.messages.at("com.example.shop.v1.GadgetSpec").fields;
    };
    const auto in_one_of = fields(R"("oneOf":[{"properties":{"a":{"enum":["x"]},"b":{"enum":[1]}}},)"
                                  R"({"properties":{"a":{"allOf":[{"enum":["y"]}]}},"required":["b"]}])");
    CHECK(in_one_of.at(0).type.values == texts{"x", "y"});
    CHECK(in_one_of.at(1).type.values.empty());
    const auto in_all_of =
        fields(R"("allOf":[{"anyOf":[{"properties":{"b":{"enum":[1,2]}}}]},{"properties":{"b":{"enum":[2,"3"]}}}])");
    CHECK(in_all_of.at(1).type.values == texts{"2"});
    CHECK(in_all_of.at(0).type.values.empty());
}

TEST_CASE("parts become messages named by their path", "[codegen][crd]")
{
    const auto m = read(crd(parts(
        R"("spec":{"type":"object","description":"words","properties":{"rules":{"type":"array","items":{"type":"object",)"
        R"("properties":{"match-all":{"type":"object","properties":{"a":{"type":"string"}}}}}}}})")));
    CHECK(m.messages.at("com.example.shop.v1.GadgetSpec").description == "words");
    const auto& rules = spec_field(m, "rules").type;
    CHECK(rules.of.at(0).message == "com.example.shop.v1.GadgetSpecRules");
    CHECK(m.messages.at("com.example.shop.v1.GadgetSpecRules").fields.at(0).type.message ==
          "com.example.shop.v1.GadgetSpecRulesMatchAll");
}

TEST_CASE("a field is optional unless it is required or filled, or if it may be null", "[codegen][crd]")
{
    CHECK(only(R"({"type":"integer"})").optional);
    CHECK_FALSE(only(R"({"type":"integer"})", R"(,"required":["x"])").optional);
    CHECK_FALSE(only(R"({"type":"integer","default":3})").optional);
    CHECK(only(R"({"type":"integer","default":3,"nullable":true})").optional);
    CHECK(only(R"({"type":"integer","nullable":true})", R"(,"required":["x"])").optional);
    const auto m = read(crd(parts(R"("spec":{"type":"object","properties":{"spec":{"type":"string"}}})")));
    CHECK_FALSE(m.messages.at("com.example.shop.v1.Gadget").fields.at(1).optional);
    CHECK(spec_field(m, "spec").optional);
}

TEST_CASE("a field that the schema requires is described as required, one with a default is not", "[codegen][crd]")
{
    CHECK(only(R"({"type":"integer"})", R"(,"required":["x"])").required);
    CHECK_FALSE(only(R"({"type":"integer","default":3})").required);
    const auto files =
        generate(
            read(crd({{"properties",
                       {{"spec", parts(R"("x":{"type":"string"},"y":{"type":"string"})", R"(,"required":["x"])")}}}})),
            {.exists = is_built_in})
            .value();
    const auto source = std::ranges::find(files, "shop_v1.cpp", &generated_file::path);
    REQUIRE(source != files.end());
    CHECK(contains(source->text, R"(>("x", offsetof(type, x), true),)"));
    CHECK(contains(source->text, R"(>("y", offsetof(type, y)),)"));
}

TEST_CASE("the metadata of an embedded resource is that of all kinds", "[codegen][crd]")
{
    const auto m = read(crd(parts(
        R"("spec":{"type":"object","properties":{"template":{"type":"object","x-kubernetes-embedded-resource":true,)"
        R"("properties":{"kind":{"type":"string"},"metadata":{"type":"object"}}}}})")));
    const auto& fields = m.messages.at("com.example.shop.v1.GadgetSpecTemplate").fields;
    REQUIRE(fields.size() == 3);
    CHECK(is_built_in(fields[2].type.message));
}

TEST_CASE("an embedded resource has apiVersion, kind and metadata whether its schema names them or not",
          "[codegen][crd]")
{
    const auto m = read(crd(parts(
        R"("spec":{"type":"object","properties":{"template":{"type":"object","x-kubernetes-embedded-resource":true,)"
        R"("properties":{"a":{"type":"string"},"kind":{"type":"string","description":"words"}},"required":["kind"]}}})")));
    const auto& fields = m.messages.at("com.example.shop.v1.GadgetSpecTemplate").fields;
    std::string names;
    for (const auto& f : fields) names += f.name + ' ';
    CHECK(names == "apiVersion metadata a kind ");
    REQUIRE(fields.size() == 4);
    CHECK(fields[0].type.scalar == scalar::string);
    CHECK(fields[0].optional);
    CHECK(is_built_in(fields[1].type.message));
    CHECK(fields[1].optional);
    // As the schema says.
    CHECK(fields[3].description == "words");
    CHECK_FALSE(fields[3].optional);
    CHECK(m.messages.at("com.example.shop.v1.Gadget").fields.size() == 2);
}

TEST_CASE("all versions that are served are read", "[codegen][crd]")
{
    auto document = crd(parts(R"("spec":{"type":"object"})"));
    auto& versions = document.at("spec").at("versions").as_array();
    for (const char* name : {"v1beta1", "v1alpha1"}) {
        auto other = versions.at(0);
        other.as_object()["name"] = name;
        other.as_object()["served"] = name != std::string_view("v1alpha1");
        versions.push_back(other);
    }
    const auto m = read(document);
    REQUIRE(m.kinds.size() == 2);
    CHECK(m.kinds[1].message == "com.example.shop.v1beta1.Gadget");
    CHECK(m.messages.contains("com.example.shop.v1beta1.Gadget"));
}

TEST_CASE("parts that would have one name get numbers, and kinds keep theirs", "[codegen][crd]")
{
    const std::string part = R"({"type":"object","properties":{"a":{"type":"string"}}})";
    const std::vector<json::value> both{
        crd(parts("\"spec\":{\"type\":\"object\",\"properties\":{\"a-b\":" + part + ",\"aB\":" + part + "}}")),
        crd(parts(""), "GadgetSpec")};
    const auto m = read_crds(both, "two files").value();
    const auto& root = m.messages.at("com.example.shop.v1.Gadget");
    const auto spec = root.fields.at(1).type.message;
    CHECK(spec == "com.example.shop.v1.GadgetSpec2");
    CHECK(m.messages.at(spec).fields.at(0).type.message == spec + "AB");
    CHECK(m.messages.at(spec).fields.at(1).type.message == spec + "AB2");
    CHECK(generate(m, {.exists = is_built_in}));
}

TEST_CASE("errors name the definition and the path", "[codegen][crd]")
{
    const auto bad = [](std::string_view schema) { return problem(crd(parts("\"spec\":" + std::string(schema)))); };
    const std::string at =
        "crd.yaml: gadgets.shop.example.com: spec.versions[0].schema.openAPIV3Schema.properties.spec";
    CHECK(contains(bad(R"({"type":"text"})"), at + ": unknown type text"));
    CHECK(contains(bad(R"(7)"), at + ": expected a schema"));
    CHECK(contains(bad(R"({"type":"array","items":{"$ref":"#/x"}})"), at + ".items.$ref: a custom resource's schema"));
    CHECK(contains(problem(crd({}, "Gad get")), "spec.names.kind: no name that the API allows"));
    CHECK(contains(problem(crd({}, "Gadget", "a..b")), "spec.group: no name that the API allows"));
    CHECK(contains(problem(crd({}, "Gadget", "")), "spec.group: missing"));
    CHECK(contains(problem(json::object{{"kind", "Pod"}}), "not a CustomResourceDefinition"));
    auto old = crd({});
    old.as_object()["apiVersion"] = "apiextensions.k8s.io/v1beta1";
    CHECK(contains(problem(old), "gadgets.shop.example.com: expected apiVersion apiextensions.k8s.io/v1"));
    auto bare = crd({});
    bare.at("spec").at("versions").at(0).as_object().erase("schema");
    CHECK(contains(problem(bare), "spec.versions[0]: schema.openAPIV3Schema is missing"));
    const std::vector<json::value> twice{crd({}), crd({})};
    CHECK_FALSE(read_crds(twice, "crd.yaml"));
}

TEST_CASE("depth and size of a schema are limited", "[codegen][crd]")
{
    const auto nested = [](std::size_t depth) {
        json::object schema{{"type", "string"}};
        for (std::size_t i = 1; i < depth; ++i) schema = {{"type", "array"}, {"items", std::move(schema)}};
        return crd({{"type", "object"}, {"properties", {{"spec", std::move(schema)}}}});
    };
    CHECK(problem(nested(64)).empty());
    CHECK(contains(problem(nested(65)), "more than 64 schemas within each other"));

    json::object many;
    for (int i = 0; i < 100'001; ++i) many["p" + std::to_string(i)] = json::object{{"type", "string"}};
    CHECK(contains(problem(crd({{"properties", many}})), "more than 100000 properties"));

    CHECK(problem(crd(parts('"' + std::string(256, 'n') + "\":{}"))).empty());
    CHECK(contains(problem(crd(parts('"' + std::string(257, 'n') + "\":{}"))), "a name of more than 256 characters"));
    CHECK(contains(problem(crd(parts(R"("a\u0000b":{})"))), "a name with control characters"));
}

TEST_CASE("names of parts stay short however deep they are", "[codegen][crd]")
{
    json::object schema{{"type", "string"}};
    for (int i = 0; i < 60; ++i)
        schema = {{"type", "object"}, {"properties", {{std::string(200, static_cast<char>('a' + i % 20)), schema}}}};
    const auto m = read(crd({{"properties", {{"spec", schema}}}}));
    CHECK(m.messages.size() == 62);
    for (const auto& [name, message] : m.messages) CHECK(name.size() < 300);
}

TEST_CASE("hostile names and words give code that says the same", "[codegen][crd]")
{
    const auto m = read(crd(parts(
        R"("class":{"type":"string"},"a\"b\\":{"type":"string","description":"ends in ??/"},"9 lives":{"type":"string"},)"
        R"("\u00fc":{"type":"string"},"other_fields":{"type":"string"},"?":{"type":"string"},"":{"type":"string"})")));
    const auto files = generate(m, {.exists = is_built_in}).value();
    const auto header = std::ranges::find(files, "kubecoro/shop_v1/gadget.hpp", &generated_file::path);
    REQUIRE(header != files.end());
    CHECK(contains(header->text, "class_ = {}"));
    CHECK(contains(header->text, R"(text("a\"b\\"))"));
    CHECK(contains(header->text, R"(text("\303\274"))"));
    CHECK(contains(header->text, R"(text("\?"))"));
    CHECK(contains(header->text, "/// ends in ?\?/ .\n"));
}

TEST_CASE("the library's metadata is included, not generated", "[codegen][crd]")
{
    const auto m = read(crd(parts(R"("spec":{"type":"object"})")));
    generate_options options{.folder = "acme", .exists = is_built_in};
    const auto files = generate(m, options).value();
    REQUIRE(files.size() == 3);
    CHECK(files[0].path == "acme/shop_v1/gadget.hpp");
    CHECK(contains(files[0].text, "#include <kubecoro/meta_v1/object_meta.hpp>"));
    CHECK(contains(files[0].text, "meta_v1::object_meta metadata"));
    CHECK_FALSE(contains(files[0].text, "struct object_meta"));
    CHECK(files[1].path == "shop_v1.cpp");
    CHECK(files[2].path == "shop_v1_definitions.cpp");
}

TEST_CASE("a type of the library's name is a failure", "[codegen][crd]")
{
    const auto m = read(crd(parts(""), "Pod", "core.example.com"));
    const auto files = generate(m, {.folder = "acme", .exists = is_built_in, .header_of = built_in_header});
    REQUIRE_FALSE(files);
    CHECK(contains(files.error().message(), "com.example.core.v1.Pod would have the name ::kubecoro::core_v1::pod"));
    CHECK(contains(files.error().message(), "the library's io.k8s.api.core.v1.Pod"));
}

TEST_CASE("for a build target there are two sources, and a header that changes with any file", "[codegen][crd]")
{
    const auto files_of = [](std::string_view type) {
        generate_options options{.folder = "acme", .target = "shop", .exists = is_built_in};
        const auto m = read(crd(parts("\"spec\":{\"type\":\"" + std::string(type) + "\"}")));
        return generate(m, options).value();
    };
    const auto files = files_of("object");
    REQUIRE(files.size() == 4);
    CHECK(files[0].path == "acme/shop_marker.hpp");
    CHECK(contains(files[1].text, "#include <acme/shop_marker.hpp>"));
    CHECK(files[2].path == "shop.cpp");
    CHECK(files[2].is_source);
    CHECK(files[3].path == "shop_definitions.cpp");
    CHECK(files_of("object")[0].text == files[0].text);
    CHECK(files_of("string")[0].text != files[0].text);
}

TEST_CASE("an object with more properties than a struct can number is refused", "[codegen][crd]")
{
    const auto generated = [](int properties) {
        json::object all;
        for (int i = 0; i < properties; ++i) all.emplace("p" + std::to_string(i), json::object{{"type", "boolean"}});
        const json::object spec{{"type", "object"}, {"properties", std::move(all)}};
        return generate(read(crd({{"type", "object"}, {"properties", {{"spec", spec}}}})));
    };
    CHECK(generated(65'535).has_value());
    const auto refused = generated(65'536);
    REQUIRE_FALSE(refused);
    CHECK(contains(refused.error().message(), "com.example.shop.v1.GadgetSpec has more than 65535 properties"));
}
