// Resources of a pod's containers: requests that follow from limits, and the quality of service.
#pragma once

#include "schema/default_budget.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro::apiserver {

/// A container of a pod, but not of a template, requests its limits where it requests nothing else.
void default_requests(boost::json::object& spec, default_budget& budget);

/// Guaranteed, Burstable or BestEffort, by the resources of a pod or those of its containers.
[[nodiscard]] std::string_view quality_of_service(const boost::json::value& spec);

} // namespace kubecoro::apiserver
