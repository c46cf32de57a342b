// Kubernetes' rules for events of both groups.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

struct resource_info;

/// Checks a new event.
void validate_event(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks a change of an event: in events.k8s.io only its series and its metadata may change.
void validate_event_update(const resource_info& info, const boost::json::value& before, const boost::json::value& after,
                           std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
