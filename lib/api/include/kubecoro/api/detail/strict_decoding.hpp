#pragma once
// Finds duplicate members of JSON objects and fields that built-in kinds do not have or do not take, in the words for
// bodies that a kube-apiserver cannot decode, or does not without a warning.

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Returns the duplicate members, of which a JSON parser silently keeps one: at most 100 paths such as "spec.containers[0].name". @param text  JSON that was parsed successfully before.
[[nodiscard]] std::vector<std::string> duplicate_fields(std::string_view text, std::size_t max_depth);

inline constexpr std::size_t max_unknown_fields = 100;

/// How the members of an object are meant.
enum class members_are
{
    fields,
    /// Those that begin with `$` are directives of a strategic merge patch.
    fields_and_directives
};

/// Returns the paths of the members that the schema of a built-in kind does not have, such as "spec.containers[0].imagee",
/// in the order of the object; at most max_unknown_fields.
[[nodiscard]] std::vector<std::string> unknown_builtin_fields(const schema_kind& kind, const boost::json::value& object,
                                                              members_are meant = members_are::fields);
/// The same of `metadata`, which is that of all kinds.
[[nodiscard]] std::vector<std::string> unknown_metadata_fields(const boost::json::value& object);

/// Removes all of them.
void prune_builtin_fields(const schema_kind& kind, boost::json::value& object);

/// Returns `strict decoding error: duplicate field "a", unknown field "b"`, of at most 100 fields. Empty if there are none.
[[nodiscard]] std::string strict_problem(const std::vector<std::string>& duplicates,
                                         const std::vector<std::string>& unknown);

/// Returns the Status that refuses a body: 400, `Pod in version "v1" cannot be handled as a Pod: ` and the reason.
[[nodiscard]] server_status undecodable(std::string_view kind, std::string_view version, std::string_view why);

} // namespace kubecoro::detail
