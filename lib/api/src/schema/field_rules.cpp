#include "schema/schema_writer.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::string_view items_mark = "[]";

/// The field that a rule names, without the marks of items.
std::string_view name_of(const field_rule& rule) noexcept
{
    std::string_view name = rule.field;
    while (name.ends_with(items_mark)) name.remove_suffix(items_mark.size());
    return name;
}

bool is_of_items(const field_rule& rule) noexcept { return rule.field.ends_with(items_mark); }

/// Whether the member is written whatever its value: it has none that means "absent".
bool is_always_written(const value_type& type) noexcept
{
    switch (type.form) {
    case value_form::boolean:
    case value_form::int32:
    case value_form::int64:
    case value_form::number:
    case value_form::quantity:
    case value_form::timestamp:
    case value_form::micro_timestamp:
    case value_form::duration:
    case value_form::int_or_string:
        return true;
    case value_form::text:
    case value_form::bytes:
    case value_form::any:
    case value_form::optional:
    case value_form::list:
    case value_form::map:
    case value_form::part:
        break;
    }
    return false;
}

bool is_whole(const json::value& v) noexcept { return v.is_int64() || v.is_uint64(); }

/// Whether a value is of a schema's type; true for schemas without one.
bool fits(const json::value& v, std::string_view type) noexcept
{
    if (type == "string") return v.is_string();
    if (type == "integer") return is_whole(v);
    if (type == "number") return v.is_number();
    if (type == "boolean") return v.is_bool();
    if (type == "array") return v.is_array();
    if (type == "object") return v.is_object();
    return true;
}

/// Adds one rule to one schema.
class rule_writer
{
public:
    rule_writer(const field_rule& rule, json::object& schema, schema_path& path)
        : rule_(rule), schema_(schema), path_(path), type_(text_in(schema, "type"))
    {
    }

    void write()
    {
        if (!rule_.description.empty()) put("description", json::string(rule_.description));
        write_values();
        write_bounds();
        write_sizes();
        write_list();
        for (const auto& member : rule_.more) put(member.key(), member.value());
    }

private:
    void put(std::string_view keyword, json::value value)
    {
        if (!schema_.emplace(keyword, std::move(value)).second)
            path_.fail("a rule gives " + std::string(keyword) + ", which is there already");
    }

    /// Puts a keyword that is for one type.
    void put_for(bool suits, std::string_view keyword, json::value value, std::string_view wanted)
    {
        if (suits) return put(keyword, std::move(value));
        path_.fail("a rule gives " + std::string(keyword) + ", which is for " + std::string(wanted) + ", not " +
                   (type_.empty() ? "this type" : "type " + type_));
    }

    void write_values()
    {
        if (rule_.nullable) put("nullable", true);
        if (!rule_.default_value.is_null()) {
            check_type(rule_.default_value, "default");
            put("default", rule_.default_value);
        }
        if (rule_.one_of.empty()) return;
        for (const auto& value : rule_.one_of) check_type(value, "one_of");
        put("enum", json::array(rule_.one_of.begin(), rule_.one_of.end()));
    }

    void check_type(const json::value& value, std::string_view of)
    {
        if (!fits(value, type_))
            path_.fail("a rule gives " + std::string(of) + " a value that is not of type " + type_);
    }

    void write_bounds()
    {
        const auto bound = [&](std::string_view keyword, const json::value& value) {
            if (value.is_null()) return;
            put_for(value.is_number() && (type_ == "integer" || type_ == "number"), keyword, value, "numbers");
        };
        bound("minimum", rule_.minimum);
        bound("maximum", rule_.maximum);
    }

    void write_sizes()
    {
        const bool text = type_ == "string";
        const bool list = type_ == "array";
        const bool map = schema_.contains("additionalProperties");
        const auto size = [&](bool suits, std::string_view keyword, std::optional<std::uint32_t> value,
                              std::string_view wanted) {
            if (value) put_for(suits, keyword, *value, wanted);
        };
        size(text, "minLength", rule_.min_length, "texts");
        size(text, "maxLength", rule_.max_length, "texts");
        if (!rule_.pattern.empty())
            put_for(text || schema_.contains("x-kubernetes-int-or-string"), "pattern", json::string(rule_.pattern),
                    "texts");
        if (!rule_.format.empty()) put_for(text, "format", json::string(rule_.format), "texts");
        size(list || map, map ? "minProperties" : "minItems", rule_.min_items, "lists and maps");
        size(list || map, map ? "maxProperties" : "maxItems", rule_.max_items, "lists and maps");
    }

    void write_list()
    {
        const auto& type = rule_.list_type;
        if (!type.empty()) put_for(type_ == "array", "x-kubernetes-list-type", json::string(type), "lists");
        if (!type.empty() && type != "atomic" && type != "set" && type != "map")
            path_.fail("a list is of type atomic, set or map, not " + type);
        if ((type == "map") == rule_.list_map_keys.empty())
            path_.fail(type == "map" ? "a list of type map needs list_map_keys" : "only lists of type map have keys");
        if (path_.problem() || rule_.list_map_keys.empty()) return;
        json::array keys;
        for (const auto& key : rule_.list_map_keys) {
            keys.emplace_back(key);
            require_key(key);
        }
        put("x-kubernetes-list-map-keys", std::move(keys));
    }

    /// Kubernetes wants the keys of items to be there: required, or with a default.
    void require_key(std::string_view key)
    {
        auto* const item = schema_.at("items").if_object();
        const auto* const properties = item->if_contains("properties");
        const auto* const field = properties ? properties->get_object().if_contains(key) : nullptr;
        if (!field) return path_.fail("its items have no field " + std::string(key) + " to be a key");
        if (field->get_object().contains("default")) return;
        auto& required = (*item)["required"];
        if (!required.is_array()) required.emplace_array();
        auto& names = required.get_array();
        const auto is_key = [&](const json::value& v) { return std::string_view(v.get_string()) == key; };
        if (std::ranges::none_of(names, is_key)) names.emplace_back(key);
    }

    const field_rule& rule_;
    json::object& schema_;
    schema_path& path_;
    /// A copy: what is added moves the schema's members.
    std::string type_;
};

/// The schema of the items that a rule's marks lead to; null if there is none.
json::object* items_of(json::object& schema, std::size_t depth)
{
    json::object* at = &schema;
    for (; at && depth != 0; --depth) {
        auto* const list = at->if_contains("items");
        auto* const next = list ? list : at->if_contains("additionalProperties");
        at = next ? next->if_object() : nullptr;
    }
    return at;
}

} // namespace

field_rules::field_rules(const struct_type& type, schema_path& path) : path_(path)
{
    if (type.rules) rules_ = type.rules();
    for (const auto& rule : rules_)
        if (!rule.field.empty() &&
            std::ranges::find(type.fields, name_of(rule), &struct_field::name) == type.fields.end())
            path.fail("a rule names the field \"" + rule.field + "\", which the struct does not have");
}

void field_rules::apply(const struct_field& field, json::object& schema) const
{
    for (const auto& rule : rules_) {
        if (name_of(rule) != field.name) continue;
        auto* const target = items_of(schema, (rule.field.size() - field.name.size()) / items_mark.size());
        if (!target)
            path_.fail("the rule of \"" + rule.field + "\" is for items, which the field does not have");
        else if (is_of_items(rule) && rule.required)
            path_.fail("the rule of \"" + rule.field + "\" says whether items are required, which they cannot be");
        else
            rule_writer(rule, *target, path_).write();
    }
}

void field_rules::apply(json::object& schema) const
{
    for (const auto& rule : rules_) {
        if (!rule.field.empty()) continue;
        if (rule.required)
            path_.fail("the rule of the struct says whether it is required, which the field that has it does");
        else
            rule_writer(rule, schema, path_).write();
    }
}

bool field_rules::requires_field(const struct_field& field) const
{
    bool filled = false;
    for (const auto& rule : rules_) {
        if (rule.field != field.name) continue;
        if (rule.required) return *rule.required;
        filled = filled || !rule.default_value.is_null();
    }
    return !filled && (field.required || is_always_written(*field.type));
}

} // namespace kubecoro::detail
