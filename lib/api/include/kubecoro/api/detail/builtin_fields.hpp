// Members of objects of built-in kinds that the schemas of these kinds do not have.
#pragma once

#include <kubecoro/api/detail/schema.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kubecoro::detail {

inline constexpr std::size_t max_unknown_fields = 100;

/// How the members of an object are meant.
enum class members_are
{
    fields,
    /// Those that begin with `$` are directives of a strategic merge patch.
    fields_and_directives
};

/// Returns their paths, such as "spec.containers[0].imagee", in the order of the object; at most max_unknown_fields.
[[nodiscard]] std::vector<std::string> unknown_builtin_fields(const schema_kind& kind, const boost::json::value& object,
                                                              members_are meant = members_are::fields);
/// The same of `metadata`, which is that of all kinds.
[[nodiscard]] std::vector<std::string> unknown_metadata_fields(const boost::json::value& object);

/// Removes all of them.
void prune_builtin_fields(const schema_kind& kind, boost::json::value& object);

} // namespace kubecoro::detail
