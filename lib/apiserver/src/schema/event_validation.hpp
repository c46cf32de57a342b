// Kubernetes' rules for events of both groups.
#pragma once

#include <kubecoro/base/status.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

struct resource_info;

/// Checks a new event.
void validate_event(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
