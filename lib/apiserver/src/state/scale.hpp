// The scale subresource: reads and writes replicas as an autoscaling/v1 Scale.
#pragma once

#include "http/exchange.hpp"

#include <boost/json/value.hpp>

namespace kubecoro::apiserver {

[[nodiscard]] boost::json::value scale_of(const resource_info& info, const stored_object& object);
/** Puts the replicas of a Scale, and the version that it is based on, into the body of its object.
    @return errors: 422 for replicas below zero. */
[[nodiscard]] answer<void> take_scale(const resource_info& info, const boost::json::value& scale,
                                      boost::json::value& body);
[[nodiscard]] http_response answer_scale_get(exchange& x);
[[nodiscard]] http_response answer_scale_update(exchange& x, write_flags flags);
[[nodiscard]] http_response answer_scale_apply(exchange& x, boost::json::value config, write_flags flags);
/// Writes the replicas of a Scale into its object.
[[nodiscard]] http_response write_scale(exchange& x, const boost::json::value& scale, write_flags flags);

} // namespace kubecoro::apiserver
