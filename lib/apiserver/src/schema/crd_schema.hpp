// Validates the schema of a version of a CustomResourceDefinition before it is stored.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// @param path        The place of the schema: "spec.validation.openAPIV3Schema".
/// @param has_status  Writes of the status have a path of their own, which restricts the root.
void validate_crd_schema(const boost::json::object& schema, const std::string& path, bool has_status,
                         std::vector<status_cause>& causes);

/// Returns the formats in a definition that a cluster does not check, sorted. It warns of them.
[[nodiscard]] std::vector<std::string> unrecognized_formats(const boost::json::value& crd);

} // namespace kubecoro::apiserver
