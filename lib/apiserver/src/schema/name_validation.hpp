// Validates the names of objects.
#pragma once

#include "state/registry.hpp"

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

/// Checks metadata.name, which is not empty, by the rule of the resource.
void validate_name(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
