// Structural schemas of custom resources: defaults, pruning and the common validations. No CEL, no patterns.
#pragma once

#include <kubecoro/base/status.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// "object", "integer", "number" (with a fraction), ...: JSON Schema's words.
[[nodiscard]] std::string_view json_type(const boost::json::value& v);

/// Fills in `default`s where a member is missing. @return false when that would be more than any object may hold.
[[nodiscard]] bool apply_schema_defaults(const boost::json::value& schema, boost::json::value& body);

/// Paths of members the schema does not know (kind, apiVersion and metadata aside).
[[nodiscard]] std::vector<std::string> unknown_to_schema(const boost::json::value& schema,
                                                         const boost::json::value& body);

/// Removes them.
void prune(const boost::json::value& schema, boost::json::value& body);

/// type, required, enum, minimum, maximum, lengths, items.
void validate_schema(const boost::json::value& schema, const boost::json::value& body,
                     std::vector<status_cause>& causes);

/// Each `default` in a schema matches the schema it belongs to and has no fields that are unknown to it.
/// @param path  Of the schema, for the causes.
void validate_defaults(const boost::json::value& schema, const std::string& path, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
