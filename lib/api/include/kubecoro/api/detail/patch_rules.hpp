// How strategic merge patches treat the fields of built-in kinds, from their schemas.
#pragma once

#include <kubecoro/api/detail/schema.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

/// The message that describes an object. None: the members of maps and of free-form JSON, which have no patch rules.
using patch_shape = std::optional<std::uint16_t>;

/// The shape of a kind's objects; none for a kind without schema.
[[nodiscard]] inline patch_shape patch_shape_of_kind(std::string_view api_version, std::string_view kind) noexcept
{
    const auto* schema = builtin_schemas::find(api_version, kind);
    return schema ? patch_shape(schema->message) : std::nullopt;
}

/// Null if the object's shape has no such field.
[[nodiscard]] inline const schema_field* patch_field(patch_shape message, std::string_view name) noexcept
{
    return message ? builtin_schemas::find_field(*message, name) : nullptr;
}

/// The shape of a field's object, or of the items of its list.
[[nodiscard]] inline patch_shape patch_shape_of(const schema_field* field) noexcept
{
    const bool has_rules = field && field->type == field_type::message && !field->has(field_flag::map) &&
                           builtin_schemas::message(field->message).form == json_form::object;
    return has_rules ? patch_shape(field->message) : std::nullopt;
}

/// How a list is merged; a list without this is replaced.
struct patch_list_rule
{
    /// Empty: a set of scalars.
    std::string_view key;
    patch_shape items;
};

[[nodiscard]] inline std::optional<patch_list_rule> patch_list_rule_of(const schema_field* field) noexcept
{
    if (!field || !field->has(field_flag::patch_merge)) return std::nullopt;
    return patch_list_rule{builtin_schemas::text(field->merge_key), patch_shape_of(field)};
}

} // namespace kubecoro::detail
