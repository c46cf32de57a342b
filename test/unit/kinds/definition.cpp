// Definitions of custom resources that described structs print.
#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/described.hpp>
#include <kubecoro/meta_v1/object_meta.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro;
namespace json = boost::json;

namespace farm {

resource_type field_of(std::string version) { return {"farm.example.com", std::move(version), "fields", "Field"}; }

/// A kind with one part.
template<class Spec>
struct kind_of
{
    static resource_type resource() { return field_of("v1"); }
    meta_v1::object_meta metadata;
    Spec spec;
    BOOST_DESCRIBE_CLASS(kind_of, (), (metadata, spec), (), ())
};

struct empty_part
{
};
BOOST_DESCRIBE_STRUCT(empty_part, (), ())

struct all_types
{
    std::string text;
    bool flag = false;
    std::int32_t small = 0;
    std::int64_t large = 0;
    double number = 0;
    bytes data;
    quantity amount;
    timestamp since;
    micro_timestamp precisely;
    go_duration period;
    int_or_string port;
    json::value anything;
    std::optional<int> maybe;
    std::optional<quantity> maybe_amount;
    boxed<empty_part> empty;
    std::vector<std::vector<std::string>> lists;
    std::map<std::string, std::int64_t> counts;
    std::map<std::string, json::value> values;
    std::string default_;
};
BOOST_DESCRIBE_STRUCT(all_types, (),
                      (text, flag, small, large, number, data, amount, since, precisely, period, port, anything, maybe,
                       maybe_amount, empty, lists, counts, values, default_))

struct crop
{
    std::string name;
    int rows = 1;
};
BOOST_DESCRIBE_STRUCT(crop, (), (name, rows))

struct field_spec
{
    std::string soil;
    int replicas = 1;
    std::optional<double> slope;
    std::vector<crop> crops;
    std::vector<std::string> hosts;
    std::map<std::string, std::string> notes;
    quantity water;
    static std::vector<field_rule> field_rules()
    {
        return {{.field = "soil",
                 .description = "Of the topmost metre.",
                 .required = true,
                 .one_of = {"clay", "sand"},
                 .min_length = 1,
                 .max_length = 20,
                 .pattern = "^[a-z]+$"},
                {.field = "replicas", .default_value = 1, .minimum = 0, .maximum = 10},
                {.field = "slope", .nullable = true, .maximum = 0.5},
                {.field = "crops", .max_items = 9, .list_type = "map", .list_map_keys = {"name"}},
                {.field = "hosts", .list_type = "set"},
                {.field = "hosts[]", .format = "ipv4"},
                {.field = "notes", .max_items = 3},
                {.field = "notes[]", .max_length = 80},
                {.field = "water", .required = false, .more = {{"x-kubernetes-validations", json::array()}}}};
    }
};
BOOST_DESCRIBE_STRUCT(field_spec, (), (soil, replicas, slope, crops, hosts, notes, water))

struct field_status
{
    std::optional<int> replicas;
    std::string selector;
};
BOOST_DESCRIBE_STRUCT(field_status, (), (replicas, selector))

struct field
{
    static resource_type resource() { return field_of("v1"); }
    meta_v1::object_meta metadata;
    field_spec spec;
    field_status status;
};
BOOST_DESCRIBE_STRUCT(field, (), (metadata, spec, status))

struct old_field
{
    static resource_type resource() { return field_of("v1beta1"); }
    meta_v1::object_meta metadata;
    crop spec;
};
BOOST_DESCRIBE_STRUCT(old_field, (), (metadata, spec))

struct other_scope
{
    static resource_type resource() { return {"farm.example.com", "v2", "fields", "Field", false}; }
    crop spec;
};
BOOST_DESCRIBE_STRUCT(other_scope, (), (spec))

/// A schema of objects in each other, with two levels of JSON for each.
std::string nested_schema(int levels)
{
    std::string out = R"({"type":"string"})";
    for (int i = 0; i < levels; ++i) out = R"({"type":"object","properties":{"a":)" + out + "}}";
    return out;
}

/// As generated code that carries a deep definition, in two parts.
struct deep
{
    static resource_type resource() { return field_of("v1"); }
    meta_v1::object_meta metadata;
    empty_part spec;

    friend std::span<const std::string_view> definition_text_of(const deep*) noexcept
    {
        static const std::string schema = nested_schema(30);
        static const std::string_view parts[] = {
            R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)", schema,
            "}}]}}"};
        return parts;
    }
};
BOOST_DESCRIBE_STRUCT(deep, (), (metadata, spec))

struct groupless
{
    static resource_type resource() { return {"", "v1", "fields", "Field"}; }
};
BOOST_DESCRIBE_STRUCT(groupless, (), ())

struct tree
{
    std::string name;
    std::map<std::string, std::vector<tree>> branches;
};
BOOST_DESCRIBE_STRUCT(tree, (), (name, branches))

struct same_names
{
    int a = 0;
    int a_ = 0;
};
BOOST_DESCRIBE_STRUCT(same_names, (), (a, a_))

/// A part whose one rule a test chooses.
struct ruled
{
    std::string text;
    int whole = 0;
    std::vector<crop> crops;
    inline static std::vector<field_rule> rules;
    static std::vector<field_rule> field_rules() { return rules; }
};
BOOST_DESCRIBE_STRUCT(ruled, (), (text, whole, crops))

} // namespace farm

namespace {

template<class Spec>
json::value spec_schema()
{
    const auto definition = definition_of<farm::kind_of<Spec>>();
    REQUIRE(definition);
    return json::value(*definition).at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/spec");
}

template<class T>
std::string problem(const crd_options& options = {})
{
    const auto made = definition_of<T>(options);
    if (made) return "none";
    CHECK(made.error() == cond::invalid);
    return made.error().message();
}

/// The failure of a rule, without the kind.
std::string problem_of(field_rule rule)
{
    farm::ruled::rules = {std::move(rule)};
    const auto words = problem<farm::kind_of<farm::ruled>>();
    const std::string begin = "Field of farm.example.com/v1: spec";
    return words.starts_with(begin) ? words.substr(begin.size()) : words;
}

} // namespace

TEST_CASE("definition: each C++ type has its schema", "[definition]")
{
    const auto schema = spec_schema<farm::all_types>();
    const std::string amount =
        R"({"anyOf":[{"type":"integer"},{"type":"string"}],)"
        R"("pattern":"^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",)"
        R"("x-kubernetes-int-or-string":true})";
    CHECK(
        schema.at("properties") ==
        json::parse(
            R"({"text":{"type":"string"},"flag":{"type":"boolean"},"small":{"type":"integer","format":"int32"},)"
            R"("large":{"type":"integer","format":"int64"},"number":{"type":"number","format":"double"},)"
            R"("data":{"type":"string","format":"byte"},"amount":)" +
            amount +
            R"(,"since":{"type":"string","format":"date-time"},"precisely":{"type":"string","format":"date-time",)"
            R"("pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}(Z|[+-][0-9]{2}:[0-9]{2})$"},)"
            R"("period":{"type":"string","format":"duration"},)"
            R"("port":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},)"
            R"("anything":{"x-kubernetes-preserve-unknown-fields":true},"maybe":{"type":"integer","format":"int32"},)"
            R"("maybe_amount":)" +
            amount +
            R"(,"empty":{"type":"object"},)"
            R"("lists":{"type":"array","items":{"type":"array","items":{"type":"string"}}},)"
            R"("counts":{"type":"object","additionalProperties":{"type":"integer","format":"int64"}},)"
            R"("values":{"type":"object","additionalProperties":{"x-kubernetes-preserve-unknown-fields":true}},)"
            R"("default":{"type":"string"}})"));
    // Those that the struct always writes.
    CHECK(schema.at("required") ==
          json::parse(R"(["flag","small","large","number","amount","since","precisely","period","port"])"));
}

TEST_CASE("definition: a struct writes all that its schema requires", "[definition]")
{
    const auto schema = spec_schema<farm::all_types>();
    const auto written = json::parse(to_text(farm::all_types())).as_object();
    CHECK(written.size() == schema.at("required").as_array().size());
    for (const auto& name : schema.at("required").as_array()) CHECK(written.contains(name.as_string()));
}

TEST_CASE("definition: rules add to the schemas of their fields", "[definition]")
{
    const auto schema = spec_schema<farm::field_spec>();
    const auto of = [&](const char* name) { return json::value(schema.at("properties").at(name)); };
    CHECK(of("soil") == json::parse(R"({"type":"string","description":"Of the topmost metre.","enum":["clay","sand"],)"
                                    R"("minLength":1,"maxLength":20,"pattern":"^[a-z]+$"})"));
    CHECK(of("replicas") == json::parse(R"({"type":"integer","format":"int32","default":1,"minimum":0,"maximum":10})"));
    CHECK(of("slope") == json::parse(R"({"type":"number","format":"double","nullable":true,"maximum":0.5})"));
    CHECK(of("crops") ==
          json::parse(R"({"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},)"
                      R"("rows":{"type":"integer","format":"int32"}},"required":["rows","name"]},"maxItems":9,)"
                      R"("x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"]})"));
    CHECK(of("hosts") ==
          json::parse(R"({"type":"array","items":{"type":"string","format":"ipv4"},"x-kubernetes-list-type":"set"})"));
    CHECK(
        of("notes") ==
        json::parse(R"({"type":"object","additionalProperties":{"type":"string","maxLength":80},"maxProperties":3})"));
    CHECK(of("water").at("x-kubernetes-validations") == json::array());
    // A default fills what is missing; rules go before types.
    CHECK(schema.at("required") == json::parse(R"(["soil"])"));
}

TEST_CASE("definition: a rule without a field is for the struct", "[definition]")
{
    farm::ruled::rules = {{.description = "A field.", .more = {{"x-kubernetes-validations", json::array()}}},
                          {.field = "text", .max_length = 5}};
    const auto schema = spec_schema<farm::ruled>();
    CHECK(schema.at("type") == "object");
    CHECK(schema.at("description") == "A field.");
    CHECK(schema.at("x-kubernetes-validations") == json::array());
    CHECK(schema.at("properties").at("text").at("maxLength") == 5);
    CHECK(problem_of({.required = true}) ==
          ": the rule of the struct says whether it is required, which the field that has it does");
    CHECK(problem_of({.max_length = 1}) == ": a rule gives maxLength, which is for texts, not type object");
    CHECK(problem_of({.more = {{"properties", json::object()}}}) ==
          ": a rule gives properties, which is there already");
}

TEST_CASE("definition: a rule that does not suit its field is a failure with the path", "[definition]")
{
    CHECK(problem_of({.field = "txet"}) == R"(: a rule names the field "txet", which the struct does not have)");
    CHECK(problem_of({.field = "text[]"}) ==
          R"(.text: the rule of "text[]" is for items, which the field does not have)");
    CHECK(problem_of({.field = "crops[][]"}) ==
          R"(.crops: the rule of "crops[][]" is for items, which the field does not have)");
    CHECK(problem_of({.field = "crops[]", .required = true}) ==
          R"(.crops: the rule of "crops[]" says whether items are required, which they cannot be)");
    CHECK(problem_of({.field = "whole", .pattern = "x"}) ==
          ".whole: a rule gives pattern, which is for texts, not type integer");
    CHECK(problem_of({.field = "text", .minimum = 1}) ==
          ".text: a rule gives minimum, which is for numbers, not type string");
    CHECK(problem_of({.field = "whole", .maximum = "9"}) ==
          ".whole: a rule gives maximum, which is for numbers, not type integer");
    CHECK(problem_of({.field = "text", .min_items = 1}) ==
          ".text: a rule gives minItems, which is for lists and maps, not type string");
    CHECK(problem_of({.field = "crops", .max_length = 1}) ==
          ".crops: a rule gives maxLength, which is for texts, not type array");
    CHECK(problem_of({.field = "whole", .format = "ipv4"}) ==
          ".whole: a rule gives format, which is for texts, not type integer");
    CHECK(problem_of({.field = "whole", .default_value = "one"}) ==
          ".whole: a rule gives default a value that is not of type integer");
    CHECK(problem_of({.field = "text", .one_of = {"a", 7}}) ==
          ".text: a rule gives one_of a value that is not of type string");
    CHECK(problem_of({.field = "text", .list_type = "set"}) ==
          ".text: a rule gives x-kubernetes-list-type, which is for lists, not type string");
    CHECK(problem_of({.field = "crops", .list_type = "bag"}) ==
          ".crops: a list is of type atomic, set or map, not bag");
    CHECK(problem_of({.field = "crops", .list_type = "map"}) == ".crops: a list of type map needs list_map_keys");
    CHECK(problem_of({.field = "crops", .list_map_keys = {"name"}}) == ".crops: only lists of type map have keys");
    CHECK(problem_of({.field = "crops", .list_type = "map", .list_map_keys = {"nmae"}}) ==
          ".crops: its items have no field nmae to be a key");
    CHECK(problem_of({.field = "text", .more = {{"type", "integer"}}}) ==
          ".text: a rule gives type, which is there already");
    CHECK(problem_of({.field = "text", .description = "fine"}) == "none");
}

TEST_CASE("definition: a struct that contains itself is refused with the path", "[definition]")
{
    CHECK(
        problem<farm::kind_of<farm::tree>>() ==
        "Field of farm.example.com/v1: spec.branches[][]: the struct contains itself, for which a custom resource has "
        "no schema; make the member a boost::json::value");
    CHECK(problem<farm::kind_of<farm::same_names>>() ==
          "Field of farm.example.com/v1: spec.a: two members of the struct have this name");
}

TEST_CASE("definition: a struct carries a definition that is more than sixty levels deep", "[definition]")
{
    json::parse_options limits;
    limits.max_depth = 100;
    CHECK_THROWS(json::parse(farm::nested_schema(30)));
    const json::value carried = definition_of<farm::deep>().value();
    CHECK(carried.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties") ==
          json::parse(farm::nested_schema(30), {}, limits).at("properties"));
}

TEST_CASE("definition: names, scope and status follow from the struct", "[definition]")
{
    CHECK(crd_yaml<farm::old_field>().value() ==
          "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
          "  name: fields.farm.example.com\nspec:\n  group: farm.example.com\n  names:\n    kind: Field\n"
          "    listKind: FieldList\n    plural: fields\n    singular: field\n  scope: Namespaced\n  versions:\n"
          "  - name: v1beta1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n"
          "        type: object\n        properties:\n          apiVersion:\n            type: string\n"
          "          kind:\n            type: string\n          metadata:\n            type: object\n"
          "          spec:\n            type: object\n            properties:\n              name:\n"
          "                type: string\n              rows:\n                type: integer\n"
          "                format: int32\n            required:\n            - rows\n");
    const json::value whole = definition_of<farm::field>().value();
    CHECK(whole.at_pointer("/spec/versions/0/subresources") == json::parse(R"({"status":{}})"));
    CHECK(json::value(definition_of<farm::other_scope>().value()).at_pointer("/spec/scope") == "Cluster");
}

TEST_CASE("definition: options say the rest", "[definition]")
{
    const crd_options options{
        .singular = "acre",
        .list_kind = "Fields",
        .short_names = {"fd"},
        .categories = {"all"},
        .labels = {{"a", "b"}},
        .annotations = {{"c", "d"}},
        .version = {.description = "A field.",
                    .scale = scale_paths{.selector = ".status.selector"},
                    .columns = {{.name = "Soil", .json_path = ".spec.soil"},
                                {.name = "Age",
                                 .json_path = ".metadata.creationTimestamp",
                                 .type = "date",
                                 .description = "Since it was made.",
                                 .priority = 1}}},
        .other_versions = {version_of<farm::old_field>({.served = false, .deprecation_warning = "use v1"})},
        .conversion = {{"strategy", "None"}}};
    const json::value made = definition_of<farm::field>(options).value();
    CHECK(made.at("metadata") ==
          json::parse(R"({"name":"fields.farm.example.com","labels":{"a":"b"},"annotations":{"c":"d"}})"));
    CHECK(made.at_pointer("/spec/names") ==
          json::parse(R"({"kind":"Field","listKind":"Fields","plural":"fields",)"
                      R"("singular":"acre","shortNames":["fd"],"categories":["all"]})"));
    CHECK(made.at_pointer("/spec/conversion/strategy") == "None");
    const auto& versions = made.at_pointer("/spec/versions").as_array();
    REQUIRE(versions.size() == 2);
    CHECK(versions[0].at("storage") == true);
    CHECK(versions[0].at_pointer("/schema/openAPIV3Schema/description") == "A field.");
    CHECK(versions[0].at("subresources") ==
          json::parse(R"({"status":{},"scale":{"specReplicasPath":".spec.replicas",)"
                      R"("statusReplicasPath":".status.replicas","labelSelectorPath":".status.selector"}})"));
    CHECK(versions[0].at("additionalPrinterColumns") ==
          json::parse(R"([{"name":"Soil","type":"string","jsonPath":".spec.soil"},{"name":"Age","type":"date",)"
                      R"("jsonPath":".metadata.creationTimestamp","description":"Since it was made.","priority":1}])"));
    CHECK(versions[1].at("name") == "v1beta1");
    CHECK(versions[1].at("storage") == false);
    CHECK(versions[1].at("served") == false);
    CHECK(versions[1].at("deprecated") == true);
    CHECK(versions[1].at("deprecationWarning") == "use v1");
    CHECK_FALSE(versions[1].as_object().contains("subresources"));
    const json::value plain = definition_of<farm::field>({.version = {.status_subresource = false}}).value();
    CHECK_FALSE(plain.at_pointer("/spec/versions/0").as_object().contains("subresources"));
}

TEST_CASE("definition: options that cannot be are failures", "[definition]")
{
    using farm::field;
    const std::string v1 = "Field of farm.example.com/v1: ";
    CHECK(problem<farm::old_field>({.version = {.status_subresource = true}}) ==
          "Field of farm.example.com/v1beta1: status_subresource is set, but the struct has no member status");
    const auto scaled = [](scale_paths paths) { return problem<field>({.version = {.scale = std::move(paths)}}); };
    CHECK(scaled({.wanted = ".spec.soil"}) ==
          v1 + R"(scale: ".spec.soil" is no path below .spec. to a field of type integer)");
    CHECK(scaled({.wanted = ".status.replicas"}) ==
          v1 + R"(scale: ".status.replicas" is no path below .spec. to a field of type integer)");
    CHECK(scaled({.present = ".status.raplicas"}) ==
          v1 + R"(scale: ".status.raplicas" is no path below .status. to a field of type integer)");
    CHECK(scaled({.selector = ".status.selector.x"}) ==
          v1 + R"(scale: ".status.selector.x" is no path below .spec. to a field of type string)");
    const auto column = [](printer_column c) { return problem<field>({.version = {.columns = {std::move(c)}}}); };
    CHECK(column({.name = "", .json_path = ".spec.soil"}) == v1 + "a printer column has no name");
    CHECK(column({.name = "Soil", .json_path = "spec.soil"}) ==
          v1 + R"(the printer column Soil needs a path that begins with a dot, not "spec.soil")");
    CHECK(column({.name = "Soil", .json_path = ".spec.soil", .type = "text"}) ==
          v1 + R"(the printer column Soil is of type string, integer, number, boolean or date, not "text")");
    CHECK(problem<field>({.other_versions = {version_of<field>()}}) == v1 + "there are two versions v1");
    CHECK(
        problem<field>({.other_versions = {version_of<farm::other_scope>()}}) ==
        "Field of farm.example.com/v2: a version has the group, plural, kind and scope of the others, which are those "
        "of Field of farm.example.com/v1");
    CHECK(problem<farm::groupless>() == "Field of v1: a custom resource needs a group, a version, a plural and a kind");
}
