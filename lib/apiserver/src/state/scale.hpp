// The scale of an object: its replicas as an autoscaling/v1 Scale, and the members of a custom resource that it stands for.
#pragma once

#include "objects/registry.hpp"
#include "objects/stored_object.hpp"

#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

[[nodiscard]] boost::json::value scale_of(const resource_info& info, const stored_object& object);
/// The same for the body of an object.
[[nodiscard]] boost::json::value scale_of(const resource_info& info, const boost::json::value& body);
/** Puts the replicas of a Scale, and the version that it is based on, into the body of its object.
    @return errors: 422 for replicas below zero. */
[[nodiscard]] answer<void> take_scale(const resource_info& info, const boost::json::value& scale,
                                      boost::json::value& body);

/// Checks that replicas are numbers of 32 bits, and the selector a text.
void validate_scaled(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
