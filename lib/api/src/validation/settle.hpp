// Settles an object before it is checked: drops members that the schema does not know, and adds defaults.
#pragma once

#include "validation/schema_node.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// The paths of the members that the schema does not know, sorted.
/// @param is_object  A whole object: kind, apiVersion and metadata are known.
[[nodiscard]] std::vector<std::string> unknown_members(const schema_node& root, const boost::json::value& v,
                                                       bool is_object);
/// Removes them.
void prune_members(const schema_node& root, boost::json::value& v);

/// Removes members that are null where that is not allowed, and that have no default.
void drop_nulls(const schema_node& root, boost::json::value& v);

/// The size of the defaults that an object may get.
inline constexpr std::size_t max_default_bytes = 8u << 20;

/// The remaining cost of defaults: those of a list's items multiply with the length of the list.
struct default_allowance
{
    std::size_t bytes = max_default_bytes;
    std::size_t steps = 20'000'000;
};

/// Adds defaults. @param left  Shared by the parts of an object. @return false when the defaults are too large.
[[nodiscard]] bool add_defaults(const schema_node& root, boost::json::value& v, default_allowance& left);

} // namespace kubecoro::detail
