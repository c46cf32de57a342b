#include "protobuf/loss_check.hpp"

#include "protobuf/claim_template.hpp"
#include "values/go_values.hpp"

#include <algorithm>
#include <cmath>

namespace kubecoro::detail {

using flag = field_flag;

bool loss_check::passes(const schema_kind& kind, value_view object)
{
    problem_.clear();
    const stated_type type{builtin_schemas::text(kind.api_version), builtin_schemas::text(kind.kind)};
    return members(kind.message, object, type);
}

bool loss_check::members(std::uint16_t message, value_view object, const stated_type& type)
{
    if (!distinct(object)) return false;
    for (const auto& [name, v] : object.members())
        if (!member(message, name, v, type)) return problem_.in(name);
    return true;
}

bool loss_check::member(std::uint16_t message, std::string_view name, value_view v, const stated_type& type)
{
    const bool is_kind = name == "kind";
    if (!type.kind.empty() && (is_kind || name == "apiVersion")) {
        const auto expected = is_kind ? type.kind : type.api_version;
        return v.as_string() == expected || problem_.is("expected \"" + std::string(expected) + "\"");
    }
    const auto* f = builtin_schemas::find_field(message, name);
    return f == nullptr ? problem_.is("unknown field") : field(*f, v);
}

bool loss_check::field(const schema_field& f, value_view v)
{
    if (f.has(flag::repeated)) return items(f, v);
    if (!f.has(flag::map)) return value(f, v);
    if (!distinct(v)) return false;
    for (const auto& [key, entry] : v.members())
        if (!value(f, entry)) return problem_.in(key);
    return true;
}

bool loss_check::items(const schema_field& f, value_view array)
{
    std::size_t index = 0;
    for (const auto item : array.items()) {
        if (!value(f, item)) return problem_.at(index);
        ++index;
    }
    return true;
}

bool loss_check::value(const schema_field& f, value_view v)
{
    if (f.type == field_type::message) return message(f, v);
    return f.type != field_type::real || std::isfinite(v.as_double()) || problem_.is("a number out of range");
}

bool loss_check::message(const schema_field& f, value_view v)
{
    switch (builtin_schemas::message(f.message).form) {
    case json_form::object:
        return members(f.message, v, is_claim_template(f) ? stated_type{claim_api_version, claim_kind} : stated_type());
    case json_form::array:
        return items(builtin_schemas::fields(f.message).front(), v);
    case json_form::quantity:
        return quantity(v);
    case json_form::micro_time:
        return !v.is_string() || read_micro_time(v.as_string()) || problem_.is("a time without six digits of fraction");
    case json_form::raw_json:
        return raw_json(v);
    case json_form::schema_or_array:
    case json_form::schema_or_bool:
    case json_form::schema_or_strings:
        return schema_or(f.message, v);
    case json_form::int_or_string:
    case json_form::time:
    case json_form::duration:
        break;
    }
    return true;
}

bool loss_check::quantity(value_view v)
{
    if (v.is_string()) return is_plain_quantity(v.as_string()) || problem_.is("an unusual quantity");
    // Go reads the digits; which ones were sent decides how it writes the quantity.
    return v.kind() != value_kind::number || problem_.is("a quantity with a fraction or an exponent that is no string");
}

bool loss_check::schema_or(std::uint16_t message, value_view v)
{
    const auto fields = builtin_schemas::fields(message);
    // schema_or_bool: {1 allows, 2 schema}; the others: {1 schema, 2 list}.
    const bool has_bool = builtin_schemas::message(message).form == json_form::schema_or_bool;
    return v.is_object() ? value(fields[has_bool ? 1 : 0], v) : items(fields[1], v);
}

bool loss_check::raw_json(value_view v)
{
    // JSON inside of a message is written from its values, and such a number would get other digits.
    if (v.kind() == value_kind::number) return problem_.is("a fraction or a large number in free-form JSON");
    if (!distinct(v)) return false;
    for (const auto& [name, inner] : v.members())
        if (!raw_json(inner)) return problem_.in(name);
    std::size_t index = 0;
    for (const auto item : v.items()) {
        if (!raw_json(item)) return problem_.at(index);
        ++index;
    }
    return true;
}

bool loss_check::distinct(value_view object)
{
    names_.clear();
    for (const auto& [name, v] : object.members()) names_.push_back(name);
    std::ranges::sort(names_);
    const auto twice = std::ranges::adjacent_find(names_);
    if (twice == names_.end()) return true;
    problem_.is("occurs twice");
    return problem_.in(*twice);
}

} // namespace kubecoro::detail
