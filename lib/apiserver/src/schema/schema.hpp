// Structural schemas of custom resources in the server: kubecoro::object_schema checks, prunes and adds defaults.
#pragma once

#include <kubecoro/api/validation.hpp>

#include <boost/json/value.hpp>

#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Returns the type name of JSON Schema: "object", "integer", "number" (a double), ...
[[nodiscard]] std::string_view json_type(const boost::json::value& v);

/// Appends the causes of a refusal.
void append_causes(std::vector<status_cause>& causes, const std::vector<field_error>& errors);

} // namespace kubecoro::apiserver
