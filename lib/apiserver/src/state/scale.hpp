// The scale of an object: its replicas as an autoscaling/v1 Scale.
#pragma once

#include "objects/stored_object.hpp"

#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

[[nodiscard]] boost::json::value scale_of(const resource_info& info, const stored_object& object);
/** Puts the replicas of a Scale, and the version that it is based on, into the body of its object.
    @return errors: 422 for replicas below zero. */
[[nodiscard]] answer<void> take_scale(const resource_info& info, const boost::json::value& scale,
                                      boost::json::value& body);

} // namespace kubecoro::apiserver
