// How server-side apply merges the lists and maps of the built-in kinds, beside the tables of their schemas.
#pragma once

#include <kubecoro/api/detail/schema.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace kubecoro::detail {

/// How a field is merged.
enum class merge_kind : std::uint8_t
{
    /// As a whole.
    atomic,
    /// A list by its items, which are scalars.
    set,
    /// A list by keys of its items.
    by_key
};

/// The rule of one field.
struct merge_rule
{
    /// Index of the field among all fields.
    std::uint32_t field;
    merge_kind kind;
    /// Names of the keys, separated by commas; `=VALUE` in JSON follows a key that has a default value.
    std::string_view keys;
};

/// The arrays behind find_merge_rule() and is_atomic().
struct merge_tables
{
    /// By field.
    std::span<const merge_rule> rules;
    /// Indexes of the messages that are merged as a whole, ascending.
    std::span<const std::uint16_t> atomic_messages;
};

/// Defined by the file that make_tables writes at build time.
extern const merge_tables builtin_merge_tables;

namespace builtin_schemas {
/// Returns the rule of a field of the tables. Null: a list is merged as a whole, a map or an object by its members.
[[nodiscard]] const merge_rule* find_merge_rule(const schema_field& field) noexcept;
/// Whether values of the message are merged as a whole, wherever they are.
[[nodiscard]] bool is_atomic(std::uint16_t message) noexcept;
} // namespace builtin_schemas

} // namespace kubecoro::detail
