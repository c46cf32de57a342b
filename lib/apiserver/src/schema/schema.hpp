// Applies structural schemas of custom resources: defaults, pruning and common validations. No CEL, no patterns.
#pragma once

#include <kubecoro/base/status.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Returns the type name of JSON Schema: "object", "integer", "number" (a double), ...
[[nodiscard]] std::string_view json_type(const boost::json::value& v);

/// Fills in the `default`s of missing members. @return false when they exceed the maximum size of an object.
[[nodiscard]] bool apply_schema_defaults(const boost::json::value& schema, boost::json::value& body);

/// Returns the paths of members that the schema does not specify, except kind, apiVersion and metadata.
[[nodiscard]] std::vector<std::string> unknown_to_schema(const boost::json::value& schema,
                                                         const boost::json::value& body);

/// Removes the members that unknown_to_schema() reports.
void prune(const boost::json::value& schema, boost::json::value& body);

/// Checks type, required, enum, minimum, maximum, lengths and items.
void validate_schema(const boost::json::value& schema, const boost::json::value& body,
                     std::vector<status_cause>& causes);

/// Each `default` in a schema matches the schema it belongs to and has no fields that are unknown to it.
/// @param path  Path of the schema, for the causes.
void validate_defaults(const boost::json::value& schema, const std::string& path, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
