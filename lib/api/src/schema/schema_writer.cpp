#include "schema/schema_writer.hpp"

#include <kubecoro/api/detail/quantity_text.hpp>
#include <kubecoro/api/detail/time_text.hpp>

#include <algorithm>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

json::object typed(std::string_view type) { return {{"type", type}}; }

json::object typed(std::string_view type, std::string_view format) { return {{"type", type}, {"format", format}}; }

/// The only form of a schema without a type that allows two types.
json::object integer_or_text(std::string_view pattern)
{
    json::object out;
    out["anyOf"] = json::array{typed("integer"), typed("string")};
    if (!pattern.empty()) out["pattern"] = pattern;
    out["x-kubernetes-int-or-string"] = true;
    return out;
}

} // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as structs are within each other; one within itself is refused
json::object schema_writer::schema_of(const value_type& type)
{
    switch (type.form) {
    case value_form::text:
        return typed("string");
    case value_form::boolean:
        return typed("boolean");
    case value_form::int32:
        return typed("integer", "int32");
    case value_form::int64:
        return typed("integer", "int64");
    case value_form::number:
        return typed("number", "double");
    case value_form::bytes:
        return typed("string", "byte");
    case value_form::timestamp:
        return typed("string", "date-time");
    case value_form::micro_timestamp:
        return {{"type", "string"}, {"format", "date-time"}, {"pattern", micro_time_pattern}};
    case value_form::duration:
        return typed("string", "duration");
    case value_form::quantity:
        return integer_or_text(quantity_pattern);
    case value_form::int_or_string:
        return integer_or_text({});
    case value_form::any:
        return {{"x-kubernetes-preserve-unknown-fields", true}};
    case value_form::optional:
        return schema_of(*type.item);
    case value_form::part:
        return part(type.part());
    case value_form::list:
    case value_form::map:
        break;
    }
    const schema_path::step at(path_, "[]");
    const bool list = type.form == value_form::list;
    auto schema = typed(list ? "array" : "object");
    schema[list ? "items" : "additionalProperties"] = schema_of(*type.item);
    return schema;
}

// NOLINTNEXTLINE(misc-no-recursion)
json::object schema_writer::part(const struct_type& type)
{
    auto schema = typed("object");
    if (std::ranges::find(within_, &type) != within_.end()) {
        path_.fail("the struct contains itself, for which a custom resource has no schema; make the member a "
                   "boost::json::value");
        return schema;
    }
    add_fields(type, schema);
    return schema;
}

json::object schema_writer::root(const struct_type& type)
{
    auto schema = typed("object");
    auto& properties = schema["properties"].emplace_object();
    // The server has schemas of its own for these.
    properties["apiVersion"] = typed("string");
    properties["kind"] = typed("string");
    properties["metadata"] = typed("object");
    add_fields(type, schema);
    return schema;
}

// NOLINTNEXTLINE(misc-no-recursion)
void schema_writer::add_fields(const struct_type& type, json::object& schema)
{
    const bool is_root = within_.empty();
    within_.push_back(&type);
    const field_rules rules(type, path_);
    json::object properties;
    json::array required;
    if (auto* const known = schema.if_contains("properties")) properties = known->get_object();
    for (const struct_field& field : type.fields) {
        if (path_.problem()) break;
        const schema_path::step at(path_, field.name);
        const bool is_metadata = is_root && field.name == "metadata";
        if (is_root && (field.name == "apiVersion" || field.name == "kind")) continue;
        auto of_field = is_metadata ? typed("object") : schema_of(*field.type);
        rules.apply(field, of_field);
        if (is_metadata)
            properties["metadata"] = std::move(of_field);
        else if (!properties.emplace(field.name, std::move(of_field)).second)
            path_.fail("two members of the struct have this name");
        if (rules.requires_field(field)) required.emplace_back(field.name);
    }
    if (!properties.empty()) schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
    rules.apply(schema);
    within_.pop_back();
}

} // namespace kubecoro::detail
