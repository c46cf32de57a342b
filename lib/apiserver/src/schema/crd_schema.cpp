// Validates the schema of a version of a CustomResourceDefinition: its JSON types, then its rules.
#include "objects/status_errors.hpp"
#include "schema/crd_validation.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/cel/validation_rules.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::apiserver {
namespace {

status_error wrong_crd_type(const json::value& found, const std::string& field, std::string_view wanted)
{
    return apiserver::wrong_type("CustomResourceDefinition", "v1", found, field, wanted);
}

/// Checks the JSON types of a schema and of the schemas nested in it.
std::optional<status_error> check_schema_types(const json::value& v, const std::string& field)
{
    if (v.is_null()) return {};
    if (!v.is_object()) return wrong_crd_type(v, field, "v1.JSONSchemaProps");
    const auto& schema = v.get_object();
    const std::string inside = "JSONSchemaProps." + field.substr(field.find('.') + 1);
    if (const auto* type = schema.if_contains("type"); type && !type->is_string() && !type->is_null())
        return wrong_crd_type(*type, inside + ".type", "string");
    for (const std::string_view list : {"required", "enum"})
        if (const auto* l = schema.if_contains(list); l && !l->is_array() && !l->is_null())
            return wrong_crd_type(*l, inside + "." + std::string(list), list == "enum" ? "[]v1.JSON" : "[]string");
    if (const auto* properties = schema.if_contains("properties"); properties && !properties->is_null()) {
        if (!properties->is_object())
            return wrong_crd_type(*properties, inside + ".properties", "map[string]v1.JSONSchemaProps");
        for (const auto& [name, sub] : properties->get_object())
            if (auto e = check_schema_types(sub, inside + ".properties")) return e;
    }
    if (const auto* items = schema.if_contains("items"); items && !items->is_array())
        if (auto e = check_schema_types(*items, inside + ".items")) return e;
    if (const auto* others = schema.if_contains("additionalProperties"); others && !others->is_bool())
        if (auto e = check_schema_types(*others, inside + ".additionalProperties")) return e;
    return {};
}

} // namespace

std::optional<status_error> check_crd_types(const json::value& crd)
{
    const auto* versions = find_at(crd, "spec.versions");
    if (!versions || versions->is_null()) return {};
    if (!versions->is_array())
        return wrong_crd_type(*versions, "CustomResourceDefinitionSpec.spec.versions",
                              "[]v1.CustomResourceDefinitionVersion");
    for (const auto& v : versions->get_array()) {
        if (!v.is_object())
            return wrong_crd_type(v, "CustomResourceDefinitionSpec.spec.versions",
                                  "v1.CustomResourceDefinitionVersion");
        const auto* schema = find_at(v, "schema.openAPIV3Schema");
        if (!schema || schema->is_null()) continue;
        if (auto e = check_schema_types(*schema, "CustomResourceValidation.spec.versions.schema.openAPIV3Schema"))
            return e;
    }
    return {};
}

namespace {

using detail::array_in;
using detail::is_true_in;
using detail::object_in;
using detail::text_in;
using errors::forbidden_field;
using errors::invalid_value;
using errors::not_supported;
using errors::required;

constexpr std::array types = {"array", "boolean", "integer", "number", "object", "string"};

std::string trimmed(std::string_view text)
{
    const auto begin = text.find_first_not_of(" \t\r\n\v\f");
    return begin == text.npos ? std::string()
                              : std::string(text.substr(begin, text.find_last_not_of(" \t\r\n\v\f") + 1 - begin));
}

/// The keywords of OpenAPI that a definition may use, and how they go together.
class keyword_check
{
public:
    void check(const json::object& schema, const schema_place& at, bool is_root = true)
    {
        if (out_.is_full()) return;
        check_keywords(schema, at);
        check_others(schema, at);
        if (const auto* properties = object_in(schema, "properties"))
            check_properties(*properties, schema, at, is_root);
        if (const auto* nested = object_in(schema, "not")) check(*nested, {&at, ".not"}, false);
        for (const std::string_view step : {".allOf", ".oneOf", ".anyOf"}) check_all(schema, step, at);
        if (const auto* items = object_in(schema, "items")) check(*items, {&at, ".items"}, false);
        check_all(schema, ".items", at);
        check_map(schema, at);
        check_list(schema, at);
        check_rules(schema, at);
    }

    /// Whether a keyword was found that structural schemas do not have.
    [[nodiscard]] bool is_foreign() const noexcept { return foreign_; }
    [[nodiscard]] std::vector<status_cause> take() && { return std::move(out_).take(); }

private:
    void check_all(const json::object& schema, std::string_view step, const schema_place& at)
    {
        const auto* parts = array_in(schema, step.substr(1));
        for (std::size_t i = 0; parts && i < parts->size(); ++i)
            if (const auto* part = (*parts)[i].if_object()) check(*part, {&at, step, {}, i}, false);
    }

    void check_keywords(const json::object& schema, const schema_place& at)
    {
        const auto type = text_in(schema, "type");
        if (!type.empty() && std::find(types.begin(), types.end(), type) == types.end())
            out_.add(not_supported(at.text(".type"), quote(type),
                                   R"("array", "boolean", "integer", "number", "object", "string")"));
        if (type == "null")
            out_.add(forbidden_field(at.text(".type"), "type cannot be set to null, use nullable as an alternative"));
        if (schema.contains("default") && !why_no_default_.empty())
            out_.add(forbidden_field(at.text(".default"), "must not be set " + why_no_default_));
        for (const std::string_view name :
             {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
            const auto* found = schema.if_contains(name);
            const bool empty = found && (found->is_string() ? found->get_string().empty()
                                                            : name != "dependencies" && found->is_object() &&
                                                                  found->get_object().empty());
            if (!found || (empty && name != "additionalItems")) continue;
            foreign_ = true;
            out_.add(forbidden_field(at.text(".") + std::string(name), std::string(name) + " is not supported"));
        }
        if (!text_in(schema, "$schema").empty()) foreign_ = true;
        if (const auto* items = array_in(schema, "items"); items && !items->empty()) {
            foreign_ = true;
            out_.add(forbidden_field(at.text(".items"), "items must be a schema object and not an array"));
        }
        if (inside_metadata_ && is_true_in(schema, "x-kubernetes-embedded-resource"))
            out_.add(forbidden_field(at.text(".x-kubernetes-embedded-resource"),
                                     "must not be used inside of resource meta"));
        if (is_true_in(schema, "uniqueItems"))
            out_.add(forbidden_field(at.text(".uniqueItems"), "uniqueItems cannot be set to true since the runtime "
                                                              "complexity becomes quadratic"));
        const auto* open = schema.if_contains("x-kubernetes-preserve-unknown-fields");
        if (!open || !open->is_bool() || open->get_bool()) return;
        foreign_ = true;
        out_.add(invalid_value(at.text(".x-kubernetes-preserve-unknown-fields"), "false", "must be true or undefined"));
    }

    void check_others(const json::object& schema, const schema_place& at)
    {
        const auto* others = schema.if_contains("additionalProperties");
        if (!others) return;
        const auto* properties = object_in(schema, "properties");
        if (properties && !properties->empty() && !(others->is_bool() && others->get_bool()))
            out_.add(forbidden_field(at.text(".additionalProperties"),
                                     "additionalProperties and properties are mutual exclusive"));
        if (!others->is_object()) return;
        const auto outside = why_no_default_;
        if (inside_metadata_) why_no_default_ = "inside additionalProperties applying to object metadata";
        check(others->get_object(), {&at, ".additionalProperties"}, false);
        why_no_default_ = outside;
    }

    void check_properties(const json::object& properties, const json::object& schema, const schema_place& at,
                          bool is_root)
    {
        const bool has_metadata = is_root || is_true_in(schema, "x-kubernetes-embedded-resource");
        const auto outside = std::pair(inside_metadata_, why_no_default_);
        for (const auto& [name, sub] : properties) {
            if (has_metadata && (name == "metadata" || name == "kind" || name == "apiVersion")) {
                inside_metadata_ = true;
                if (is_root) why_no_default_ = "in top-level " + std::string(name);
            }
            if (const auto* property = sub.if_object())
                check(*property, {&at, ".properties", std::string_view(name)}, false);
            std::tie(inside_metadata_, why_no_default_) = outside;
        }
    }

    /// @param of  A type that an extension demands.
    void demand(const json::object& schema, std::string_view of, std::string_view extension, const schema_place& at)
    {
        const auto type = text_in(schema, "type");
        const auto why = "must be " + std::string(of) + " if " + std::string(extension) + " is specified";
        out_.add(type.empty() ? required(at.text(".type"), why) : invalid_value(at.text(".type"), quote(type), why));
    }

    void check_map(const json::object& schema, const schema_place& at)
    {
        constexpr std::string_view extension = "x-kubernetes-map-type";
        if (!schema.contains(extension)) return;
        if (text_in(schema, "type") != "object") demand(schema, "object", extension, at);
        const auto kind = text_in(schema, extension);
        if (kind != "atomic" && kind != "granular")
            out_.add(not_supported(at.text(".x-kubernetes-map-type"), quote(kind), R"("atomic", "granular")"));
    }

    void check_list(const json::object& schema, const schema_place& at)
    {
        constexpr std::string_view extension = "x-kubernetes-list-type";
        const auto field = [&] { return at.text(".x-kubernetes-list-type"); };
        const bool has_kind = schema.contains(extension);
        const auto kind = text_in(schema, extension);
        const auto* items = object_in(schema, "items");
        const auto* keys = array_in(schema, "x-kubernetes-list-map-keys");
        if (has_kind && text_in(schema, "type") != "array")
            demand(schema, "array", extension, at);
        else if (kind == "set" && items)
            check_set_items(*items, {&at, ".items"});
        if (has_kind && kind != "atomic" && kind != "set" && kind != "map")
            out_.add(not_supported(field(), quote(kind), R"("atomic", "set", "map")"));
        constexpr std::string_view why = "must be map if x-kubernetes-list-map-keys is non-empty";
        if (keys && !keys->empty() && kind != "map")
            out_.add(has_kind ? invalid_value(field(), quote(kind), why) : required(field(), why));
        if ((kind == "set" || kind == "map") && items && is_true_in(*items, "nullable"))
            out_.add(forbidden_field(at.text(".items.nullable"),
                                     "cannot be nullable when x-kubernetes-list-type is " + std::string(kind)));
        if (kind == "map") check_keyed(schema, keys ? *keys : json::array{}, items, at);
    }

    void check_set_items(const json::object& items, const schema_place& at)
    {
        constexpr std::string_view why = "must be atomic as item of a list with x-kubernetes-list-type=set";
        const auto* list = items.if_contains("x-kubernetes-list-type");
        const auto shown = list ? to_text(*list) : "null"; // also where the type of a map is meant
        const auto type = text_in(items, "type");
        if (type == "array" && list && text_in(items, "x-kubernetes-list-type") != "atomic")
            out_.add(invalid_value(at.text(".x-kubernetes-list-type"), shown, why));
        if (type == "object" && text_in(items, "x-kubernetes-map-type") != "atomic")
            out_.add(invalid_value(at.text(".x-kubernetes-map-type"), shown, why));
    }

    void check_keyed(const json::object& schema, const json::array& keys, const json::object* items,
                     const schema_place& at)
    {
        const auto field = [&] { return at.text(".x-kubernetes-list-map-keys"); };
        if (keys.empty()) out_.add(required(field(), "must not be empty if x-kubernetes-list-type is map"));
        if (!schema.contains("items"))
            out_.add(required(at.text(".items"), "must have a schema if x-kubernetes-list-type is map"));
        if (!items) return;
        if (const auto type = text_in(*items, "type"); type != "object") {
            out_.add(invalid_value(at.text(".items.type"), quote(type),
                                   "must be object if parent array's x-kubernetes-list-type is map"));
            return;
        }
        std::set<std::string_view> seen;
        for (const auto& key : keys) {
            const auto* name = key.if_string();
            if (!name) continue;
            check_key(*items, *name, keys, at);
            if (!seen.insert(std::string_view(*name)).second)
                out_.add(invalid_value(field(), to_text(keys), "must not contain duplicate entries"));
        }
    }

    void check_key(const json::object& items, std::string_view name, const json::array& keys, const schema_place& at)
    {
        const auto* properties = object_in(items, "properties");
        const auto* property = properties ? object_in(*properties, name) : nullptr;
        if (!property) {
            out_.add(invalid_value(at.text(".x-kubernetes-list-map-keys"), to_text(keys),
                                   "entries must all be names of item properties"));
            return;
        }
        const schema_place in_items{&at, ".items"};
        const schema_place place{&in_items, ".properties", name};
        if (const auto type = text_in(*property, "type"); type == "array" || type == "object")
            out_.add(invalid_value(place.text(".type"),
                                   R"("object")", // the type of the items, as a kube-apiserver says it
                                   "must be a scalar type if parent array's x-kubernetes-list-type is map"));
        const auto* always = array_in(items, "required");
        const bool is_required =
            always && std::find(always->begin(), always->end(), json::value(name)) != always->end();
        if (!is_required && !property->contains("default"))
            out_.add(required(place.text(".default"),
                              "this property is in x-kubernetes-list-map-keys, so it must have a "
                              "default or be a required property"));
        if (is_true_in(*property, "nullable"))
            out_.add(forbidden_field(place.text(".nullable"), "this property is in x-kubernetes-list-map-keys, so it "
                                                              "cannot be nullable"));
    }

    void check_rules(const json::object& schema, const schema_place& at)
    {
        const auto* rules = array_in(schema, "x-kubernetes-validations");
        for (std::size_t i = 0; rules && i < rules->size() && !out_.is_full(); ++i)
            check_rule((*rules)[i], {&at, ".x-kubernetes-validations", {}, i});
    }

    /// The expression itself is compiled when all schemas are right.
    void check_rule(const json::value& rule, const schema_place& at)
    {
        const auto expression = trimmed(text_in(rule, "rule"));
        const auto stated = text_in(rule, "message");
        const auto message = trimmed(stated);
        const auto has_lines = [](std::string_view text) { return text.find_first_of("\n\r") != text.npos; };
        if (expression.empty())
            out_.add(required(at.text(".rule"), "rule is not specified"));
        else if (!stated.empty() && message.empty())
            out_.add(invalid_value(at.text(".message"), quote(stated), "must be non-empty if specified"));
        else if (has_lines(message))
            out_.add(invalid_value(at.text(".message"), quote(stated), "must not contain line breaks"));
        else if (has_lines(expression) && message.empty())
            out_.add(required(at.text(".message"), "message must be specified if rule contains line breaks"));
        if (const auto by = text_in(rule, "messageExpression"); !by.empty() && trimmed(by).empty())
            out_.add(required(at.text(".messageExpression"), "messageExpression must be non-empty if specified"));
        const auto reason = text_in(rule, "reason");
        const std::array reasons = {"", "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                    "FieldValueRequired"};
        if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
            out_.add(not_supported(at.text(".reason"), quote(reason),
                                   R"("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", )"
                                   R"("FieldValueRequired")"));
    }

    schema_causes out_;
    bool foreign_ = false;
    bool inside_metadata_ = false;
    /// The part of the schema in which defaults are forbidden; empty where they are allowed.
    std::string why_no_default_;
};

/// A status with a path of its own is checked by its part of the schema alone.
void check_root_of_status(const json::object& schema, const std::string& path, std::vector<status_cause>& causes)
{
    static constexpr std::array allowed = {"description",
                                           "type",
                                           "format",
                                           "title",
                                           "maximum",
                                           "exclusiveMaximum",
                                           "minimum",
                                           "exclusiveMinimum",
                                           "maxLength",
                                           "minLength",
                                           "pattern",
                                           "maxItems",
                                           "minItems",
                                           "uniqueItems",
                                           "multipleOf",
                                           "required",
                                           "items",
                                           "properties",
                                           "externalDocs",
                                           "example",
                                           "x-kubernetes-preserve-unknown-fields",
                                           "x-kubernetes-validations"};
    if (const auto type = text_in(schema, "type"); !type.empty() && type != "object") {
        causes.push_back(invalid_value(path + ".type", quote(type),
                                       "only \"object\" is allowed as the type at the root of the schema if the status "
                                       "subresource is enabled"));
        return;
    }
    const bool right = std::all_of(schema.begin(), schema.end(), [](const auto& member) {
        return std::find(allowed.begin(), allowed.end(), member.key()) != allowed.end();
    });
    if (!right)
        causes.push_back(invalid_value(
            path, to_text(schema),
            "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength "
            "Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
            "XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status "
            "subresource "
            "is enabled"));
}

bool is_recognized(std::string_view type, std::string_view format)
{
    static const std::set<std::string_view> of_texts{
        "bsonobjectid", "uri",      "email",    "hostname", "ipv4",     "ipv6",   "cidr",     "mac",
        "uuid",         "uuid3",    "uuid4",    "uuid5",    "isbn",     "isbn10", "isbn13",   "creditcard",
        "ssn",          "hexcolor", "rgbcolor", "byte",     "password", "date",   "duration", "datetime"};
    if (type == "integer") return format == "int32" || format == "int64";
    if (type == "number") return format == "float" || format == "double";
    if (!type.empty() && type != "string") return false;
    std::string name(format);
    std::erase(name, '-');
    return of_texts.contains(name) || format == "k8s-short-name" || format == "k8s-long-name";
}

void collect_formats(const json::value& schema, std::set<std::string>& out)
{
    if (const auto* list = schema.if_array())
        for (const auto& each : *list) collect_formats(each, out);
    const auto* members = schema.if_object();
    if (!members) return;
    if (const auto format = text_in(schema, "format");
        !format.empty() && !is_recognized(text_in(schema, "type"), format))
        out.emplace(format);
    if (const auto* properties = object_in(schema, "properties"))
        for (const auto& property : *properties) collect_formats(property.value(), out);
    for (const std::string_view part : {"items", "additionalProperties", "allOf", "anyOf", "oneOf", "not"})
        if (const auto* nested = members->if_contains(part)) collect_formats(*nested, out);
}

} // namespace

void validate_crd_schema(const json::object& schema, const std::string& path, bool has_status, bool is_stored,
                         std::vector<status_cause>& causes)
{
    const auto before = causes.size();
    const auto append = [&](std::vector<status_cause> found) {
        causes.insert(causes.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    };
    if (has_status) check_root_of_status(schema, path, causes);
    if (is_true_in(schema, "nullable"))
        causes.push_back(forbidden_field(path + ".nullable", "nullable cannot be true at the root"));
    const schema_place root{nullptr, path};
    keyword_check keywords;
    keywords.check(schema, root);
    if (!keywords.is_foreign()) append(structural_problems(schema, root));
    const bool foreign = keywords.is_foreign();
    append(std::move(keywords).take());
    if (causes.size() != before) return;
    if (foreign) {
        causes.push_back(invalid_value(path, "\"\"", "OpenAPIV3Schema 'schema' is not supported"));
        return;
    }
    // Defaults are looked at in schemas that are right: the others say nothing about them.
    const auto compiled = object_schema::of_schema(schema);
    if (!compiled) {
        causes.push_back(invalid_value(path, "\"\"", compiled.error().message()));
        return;
    }
    append_causes(causes, compiled->errors_in_defaults(path));
    if (causes.size() != before || compiled->rules().empty()) return;
    append_causes(causes, cel::validation_rules::of_schema(schema).problems(path, is_stored));
}

std::vector<std::string> unrecognized_formats(const json::value& crd)
{
    std::set<std::string> found;
    if (const auto* versions = array_at(crd, "spec.versions"))
        for (const auto& version : *versions)
            if (const auto* schema = find_at(version, "schema.openAPIV3Schema")) collect_formats(*schema, found);
    return {found.begin(), found.end()};
}

} // namespace kubecoro::apiserver
