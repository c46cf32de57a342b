// Equality and order of values.
#pragma once

#include <kubecoro/cel/value.hpp>

#include "schema/schema_node.hpp"

#include <optional>

namespace kubecoro::cel::detail {

/// A boolean, or the error of a part that has one. Numbers of different types are equal if their numbers are.
[[nodiscard]] value equal(const value& a, const value& b);
/// Whether equal() is true.
[[nodiscard]] bool is_equal(const value& a, const value& b);
/// A text that tells the items of a list of order `set` or `map` apart.
[[nodiscard]] std::string list_identity(const value& item, const schema_node& schema);
/// Whether two keys of a map are the same.
[[nodiscard]] bool same_key(const value& a, const value& b) noexcept;
/// The same for keys that are the same, also for numbers of different types. With the secrets of the process, since
/// objects may name the keys.
[[nodiscard]] std::size_t hash_of_key(const value& key) noexcept;

/// How two values stand to each other.
enum class order : std::uint8_t
{
    less,
    equal,
    greater,
    /// One of them is not a number.
    unordered,
    /// Their types have no order.
    none
};

[[nodiscard]] order compare(const value& a, const value& b) noexcept;

} // namespace kubecoro::cel::detail
