// Validates the names of objects.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Checks metadata.generateName, if there is one, and metadata.name by the rule of the resource.
void validate_name(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// The reasons why a name is no segment of a path; none if it is one.
[[nodiscard]] std::vector<std::string> path_segment_problems(std::string_view name);

} // namespace kubecoro::apiserver
