// Validates the members of a custom resource that its scale subresource reads and writes.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/apiserver/status_error.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

/// Checks that replicas are numbers of 32 bits, and the selector a text.
void validate_scaled(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
