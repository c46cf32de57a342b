// The life of a pod on a node: it starts, becomes ready, and ends if it does not restart.
#pragma once

#include <kubecoro/apiserver/live_options.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace kubecoro::apiserver::live {

/// The annotation that lets a pod fail.
inline constexpr std::string_view outcome_annotation = "live.kubecoro.dev/outcome";

/// The next step of a pod.
struct pod_step
{
    /// Its new status; empty: none yet.
    std::optional<boost::json::value> status = {};
    /// When to look again; empty: after a change.
    std::optional<wall_time> when = {};
};

/// @param body  A pod that is bound to a node. @param number  Makes its address.
[[nodiscard]] pod_step next_step(const boost::json::value& body, const live_options& options, std::uint32_t number,
                                 wall_time now);

} // namespace kubecoro::apiserver::live
