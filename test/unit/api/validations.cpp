// Compares the checks of custom resources with those of the API server's own code: lib/api/schemas/extract/validations.
#include <kubecoro/api/detail/formats.hpp>
#include <kubecoro/api/detail/pattern.hpp>
#include <kubecoro/api/validation.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

using namespace kubecoro;
namespace json = boost::json;

namespace {

std::vector<json::object> rows_with(std::string_view member)
{
    std::ifstream in(KUBECORO_TEST_DATA "/validations.jsonl");
    std::vector<json::object> out;
    for (std::string line; std::getline(in, line);)
        if (auto row = json::parse(line).as_object(); row.contains(member)) out.push_back(std::move(row));
    return out;
}

/// "reason | field: message", sorted.
std::vector<std::string> lines(const json::array& rows)
{
    std::vector<std::string> out;
    for (const auto& row : rows)
        out.push_back(std::string(row.at(0).as_string()) + " | " + std::string(row.at(1).as_string()) + ": " +
                      std::string(row.at(2).as_string()));
    std::ranges::sort(out);
    return out;
}

std::vector<std::string> lines(const std::vector<field_error>& errors)
{
    std::vector<std::string> out;
    for (const auto& e : errors) out.push_back(e.reason + " | " + e.field + ": " + e.message());
    std::ranges::sort(out);
    return out;
}

/// With all numbers as doubles: what is written back has lost the difference.
json::value plain(json::value v)
{
    if (v.is_number()) v = v.to_number<double>();
    if (auto* items = v.if_array())
        for (auto& item : *items) item = plain(item);
    if (auto* object = v.if_object())
        for (auto& member : *object) member.value() = plain(member.value());
    return v;
}

} // namespace

TEST_CASE("validation: errors, unknown fields and defaults are the API server's", "[api][validation]")
{
    const auto rows = rows_with("schema");
    REQUIRE(rows.size() > 400);
    for (const auto& row : rows) {
        INFO("schema: " << json::serialize(row.at("schema")));
        INFO("value: " << json::serialize(row.at("value")));
        const auto schema = object_schema::of_schema(row.at("schema")).value();
        const auto& value = row.at("value");
        const auto* before = row.if_contains("before");
        if (before) INFO("before: " << json::serialize(*before));
        const auto errors = before ? schema.structural_errors(value, *before) : schema.structural_errors(value);
        CHECK(lines(errors) == lines(row.at("errors").as_array()));
        CHECK((before ? schema.check(value, *before) : schema.check(value)).has_value() ==
              (errors.empty() && schema.rules().empty()));
        if (before) continue;
        const auto* unknown = row.at("unknown").if_array();
        json::array found;
        for (const auto& path : schema.unknown_fields(value)) found.emplace_back(path);
        CHECK(json::serialize(found) == json::serialize(unknown ? *unknown : json::array()));
        auto settled = value;
        schema.prune(settled);
        REQUIRE(schema.fill_defaults(settled));
        CHECK(plain(settled) == plain(row.at("settled")));
    }
}

TEST_CASE("validation: formats are the API server's", "[api][validation]")
{
    const auto rows = rows_with("format");
    REQUIRE(rows.size() > 500);
    for (const auto& row : rows) {
        INFO(json::serialize(row));
        const auto check = detail::format_named(row.at("format").as_string());
        REQUIRE(check != nullptr);
        CHECK(check(row.at("text").as_string()) == row.at("fits").as_bool());
    }
}

TEST_CASE("validation: patterns are Go's", "[api][validation]")
{
    const auto rows = rows_with("pattern");
    REQUIRE(rows.size() > 250);
    for (const auto& row : rows) {
        INFO(json::serialize(row));
        const detail::pattern expression(row.at("pattern").as_string());
        if (const auto* problem = row.if_contains("problem")) {
            CHECK(expression.problem() == problem->as_string());
            continue;
        }
        CHECK(expression.problem().empty());
        if (expression.problem().empty())
            CHECK(expression.matches(row.at("text").as_string()) == row.at("fits").as_bool());
    }
}

TEST_CASE("validation: the failure of a check is the server's Status", "[api][validation]")
{
    const auto definition =
        json::parse(R"({"kind":"CustomResourceDefinition","spec":{"group":"example.com","scope":"Cluster",
        "names":{"plural":"sites","kind":"Site"},"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object",
        "properties":{"spec":{"type":"object","required":["host"],"properties":{"host":{"type":"string","pattern":"^[a-z]+$"},
        "size":{"type":"integer","maximum":3}}}}}}}]}})");
    const auto schema = object_schema::of_crd(definition, "v1").value();
    CHECK(schema.resource().kind == "Site");
    CHECK_FALSE(schema.resource().namespaced);
    const auto refused = schema.check(json::parse(R"({"metadata":{"name":"a"},"spec":{"size":4}})"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::invalid);
    const auto* status = refused.error().status();
    REQUIRE(status != nullptr);
    CHECK(status->code == 422);
    CHECK(status->message ==
          "Site.example.com \"a\" is invalid: [spec.size: Invalid value: 4: spec.size in body should be "
          "less than or equal to 3, spec.host: Required value]");
    CHECK(status->causes.size() == 2);
    CHECK(object_schema::of_crd(definition, "v2").error() == cond::not_found);
    CHECK(object_schema::of_crd(json::value("x"), "v1").error() == cond::invalid);
}

TEST_CASE("validation: schemas that do not compile are refused with the path", "[api][validation]")
{
    const auto why = [](std::string_view schema) {
        const auto s = object_schema::of_schema(json::parse(schema));
        return s ? std::string("none") : s.error().message();
    };
    CHECK(why(R"({"properties":{"a":{"items":{"pattern":"("}}}})")
              .starts_with("properties[a].items.pattern must be a valid"));
    CHECK(why(R"({"properties":{"a":{"$ref":"x"}}})").starts_with("properties[a] has $ref"));
    CHECK(why("[]") == "the schema is no object");
    CHECK(why(R"({"allOf":[{"type":"text"}]})") == "allOf[0].type is none that schemas have");
    CHECK(why(R"({"properties":{"a":{"minLength":"1"}}})") == "properties[a].minLength is no whole number");
    json::value deep = json::object();
    for (int i = 0; i < 200; ++i) deep = json::object{{"items", std::move(deep)}};
    CHECK(object_schema::of_schema(deep).error() == cond::invalid);
}

TEST_CASE("validation: CEL rules are listed, and mentioned when the object is invalid", "[api][validation]")
{
    const auto schema =
        object_schema::of_schema(
            json::parse(
                R"({"type":"object","x-kubernetes-validations":[{"rule":"self.a > 1"}],"properties":{"l":{"type":"array","items":{
            "type":"integer","x-kubernetes-validations":[{"rule":"self > 0"}]}}}})"))
            .value();
    REQUIRE(schema.rules().size() == 2);
    CHECK(schema.rules()[0].field.empty());
    CHECK(schema.rules()[1].field == "l[*]");
    CHECK(schema.rules()[1].text == "self > 0");
    const auto errors = schema.structural_errors(json::parse(R"({"l":["x"]})"));
    REQUIRE(errors.size() == 2);
    CHECK(errors[1].message().find("some validation rules were not checked") != std::string::npos);
}

TEST_CASE("validation: an object passes no check of a schema whose rules are not evaluated", "[api][validation]")
{
    const auto schema = object_schema::of_schema(json::parse(R"({"type":"object","properties":{"a":{"type":"integer"}},
        "x-kubernetes-validations":[{"rule":"self.a > 1"}]})"),
                                                 {"example.com", "v1", "sites", "Site"})
                            .value();
    CHECK(schema.check(json::parse(R"({"a":"x"})")).error() == cond::invalid);
    const json::value right = json::parse(R"({"a":2})");
    for (const auto& unchecked : {schema.check(right), schema.check(right, right)}) {
        REQUIRE_FALSE(unchecked);
        CHECK(unchecked.error() == cond::misconfigured);
        CHECK(unchecked.error().message() == "not checked: the CEL rules of the schema of sites.example.com, of which "
                                             "there are 1. cel::object_validator evaluates them");
    }
}

TEST_CASE("validation: errors and their text are limited", "[api][validation]")
{
    const auto schema =
        object_schema::of_schema(
            json::parse(
                R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"string","pattern":"^a$"}}}})"))
            .value();
    const auto of = [](std::size_t items, std::size_t size) {
        return json::value{{"l", json::array(items, json::value(std::string(size, 'b')))}};
    };
    CHECK(schema.structural_errors(of(1000, 1)).size() == 100);
    CHECK(schema.structural_errors(of(50, 100'000)).size() < 15);
}

TEST_CASE("validation: a check that takes too long ends with an error", "[api][validation]")
{
    // Every item meets every alternative.
    json::array alternatives;
    for (int i = 0; i < 4000; ++i)
        alternatives.push_back(json::object{{"not", {{"pattern", "^x" + std::to_string(i) + "$"}}}});
    const json::value document{{"items", {{"allOf", alternatives}}}};
    const auto schema = object_schema::of_schema(document).value();
    const auto errors = schema.structural_errors(json::array(200, json::value(std::string(100, 'y'))));
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].reason == "InternalError");
}

namespace {

constexpr std::size_t large = 1'400'000;

/// A list of items that have keys.
json::array keyed_list(std::size_t items)
{
    json::array out;
    for (std::size_t i = 0; i < items; ++i) out.push_back(json::object{{"name", std::to_string(i)}});
    return out;
}

json::object object_with_members(std::size_t members)
{
    json::object out;
    for (std::size_t i = 0; i < members; ++i) out.emplace(std::to_string(i), nullptr);
    return out;
}

/// A schema of which every value meets the part tens of thousands of times.
object_schema repeated_schema(json::object part, json::object around = {})
{
    around["allOf"] = json::array(40'000, json::value(std::move(part)));
    return object_schema::of_schema(json::object{{"properties", {{"x", std::move(around)}}}}).value();
}

std::string only_error(const std::vector<field_error>& errors)
{
    return errors.size() == 1 ? errors[0].message() : std::to_string(errors.size()) + " errors";
}

} // namespace

TEST_CASE("validation: a check spends steps for each part of a value that it reads", "[api][validation]")
{
    // Each would take minutes.
    const std::string too_expensive = "Internal error: the object takes more than 50000000 steps to check";
    const json::value text(std::string(large, 'x'));
    const json::value list = json::array(large / 4, json::value(1));
    const json::value items = keyed_list(120'000);
    const json::value members = object_with_members(100'000);
    const auto of = [](const json::object& part, const json::value& v) {
        return only_error(repeated_schema(part).structural_errors(json::object{{"x", v}}));
    };
    CHECK(of({{"enum", json::array{"a"}}}, text) == too_expensive);
    CHECK(of({{"enum", json::array{"a"}}}, list) == too_expensive);
    CHECK(of({{"enum", json::array{json::array{1}}}}, list) == too_expensive);
    CHECK(of({{"enum", json::array{1}}}, members) == too_expensive);
    CHECK(of({{"maxLength", large}}, text) == too_expensive);
    CHECK(of({{"uniqueItems", true}}, items) == too_expensive);
    CHECK(of({{"properties", {{"y", json::object{}}}}}, members) == too_expensive);
    CHECK(of({{"additionalProperties", true}}, json::object{{text.get_string(), 1}}) == "0 errors");
    CHECK(of({{"additionalProperties", false}}, json::object{{text.get_string(), 1}}) == too_expensive);
}

TEST_CASE("validation: the paths of unknown fields are bounded in size", "[api][validation]")
{
    // All of them would be 100 GB.
    const auto schema = object_schema::of_schema(json::object{{"additionalProperties", json::object{}}}).value();
    const std::string name(1'200'000, 'n');
    const auto paths = schema.unknown_fields(json::object{{name, object_with_members(100'000)}});
    REQUIRE(paths.size() == 1);
    CHECK(paths[0].starts_with(name + "."));
    CHECK(schema.unknown_fields(json::object{{"n", object_with_members(10'000)}}).size() == 10'000);
}

TEST_CASE("validation: a check spends steps for the words of errors, even of those that it does not report",
          "[api][validation]")
{
    const std::string too_expensive = "Internal error: the object takes more than 50000000 steps to check";
    const std::string text(large, 'x');
    // Each path has the long key.
    const json::object failing{{"allOf", json::array(40'000, json::value(json::object{{"type", "string"}}))}};
    const auto below_any_key = object_schema::of_schema(json::object{{"additionalProperties", failing}}).value();
    CHECK(only_error(below_any_key.structural_errors(json::object{{text, 1}})) == too_expensive);
    // Each error lists the allowed values.
    const json::object alternative{{"items", {{"enum", json::array{text}}}}};
    const auto with_words =
        object_schema::of_schema(json::object{{"properties", {{"x", {{"anyOf", json::array{alternative}}}}}}}).value();
    CHECK(only_error(with_words.structural_errors(json::object{{"x", json::array(large / 4, json::value(1))}})) ==
          too_expensive);
    // Each item lacks all members.
    json::array names;
    for (int i = 0; i < 10'000; ++i) names.push_back(json::string(std::to_string(i)));
    const json::object lacking{{"items", {{"required", names}}}};
    const auto of_members =
        object_schema::of_schema(json::object{{"properties", {{"x", {{"anyOf", json::array{lacking}}}}}}}).value();
    CHECK(only_error(of_members.structural_errors(json::object{{"x", json::array(large / 4, json::object{})}})) ==
          too_expensive);
}

TEST_CASE("validation: a check spends steps for each part of the replaced value that it reads", "[api][validation]")
{
    const std::string too_expensive = "Internal error: the object takes more than 50000000 steps to check";
    const json::object map_of_names{{"x-kubernetes-list-type", "map"},
                                    {"x-kubernetes-list-map-keys", json::array{"name"}},
                                    {"items", json::object{}}};
    const json::value before = json::object{{"x", keyed_list(120'000)}};
    const auto schema = repeated_schema({{"items", json::object{}}}, map_of_names);
    CHECK(only_error(schema.structural_errors(json::object{{"x", keyed_list(1)}}, before)) == too_expensive);
    CHECK(schema.structural_errors(json::object{{"x", json::array()}}).empty());

    // Equal values are compared: they are forgiven.
    const json::value same = json::object{{"x", {{"y", json::array(large / 4, json::value(1))}}}};
    CHECK(only_error(repeated_schema({{"properties", {{"y", {{"type", "integer"}}}}}},
                                     {{"properties", {{"y", json::object{}}}}})
                         .structural_errors(same, same)) == too_expensive);
}

TEST_CASE("validation: large values are checked as long as few parts of the schema read them", "[api][validation]")
{
    const auto schema =
        object_schema::of_schema(
            json::parse(
                R"({"properties":{"text":{"type":"string","maxLength":2000000,"pattern":"x$","not":{"enum":["a"]}},
            "list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{
            "type":"object","properties":{"name":{"type":"string","maxLength":3}}}}}})"))
            .value();
    const json::value object{{"text", std::string(large, 'x')}, {"list", keyed_list(100'000)}};
    CHECK(schema.structural_errors(object).size() == 100);
    // Each of 99,000 errors is forgiven, since the value is as it was.
    CHECK(schema.structural_errors(object, object).empty());
}

TEST_CASE("validation: defaults that take too many steps to check are refused", "[api][validation]")
{
    json::object part{{"default", std::string(large, 'x')}};
    part["allOf"] = json::array(40'000, json::value(json::object{{"enum", json::array{"a"}}}));
    const auto schema = object_schema::of_schema(json::object{{"properties", {{"x", std::move(part)}}}}).value();
    const auto errors = schema.errors_in_defaults("schema");
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].field == "schema");
    CHECK(errors[0].message() == "Internal error: the defaults take more than 50000000 steps to check");
}

TEST_CASE("validation: the defaults of all lists of a part are bounded together", "[api][validation]")
{
    // A megabyte of defaults for each item, which is then wrong.
    const json::object item{{"properties", {{"text", {{"default", std::string(1 << 20, 'x')}, {"maxLength", 1}}}}}};
    const json::object list{{"type", "array"}, {"items", item}};
    const auto schema = object_schema::of_schema(json::object{{"additionalProperties", list}}).value();
    json::object part;
    for (int i = 0; i < 40; ++i) part["list" + std::to_string(i)] = json::array{json::object{}};
    CHECK(schema.structural_errors(part, object_part::merge_patch).size() == 7);
}

TEST_CASE("validation: a pattern that others need exponential time for", "[api][validation]")
{
    const detail::pattern expression("^(a+)+$");
    CHECK_FALSE(expression.matches(std::string(200'000, 'a') + '!'));
}
