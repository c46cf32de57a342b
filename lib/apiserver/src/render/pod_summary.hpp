// The cells of a pod in a table: its status, its restarts, and how many of its containers are ready.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <boost/json/value.hpp>

#include <string>

namespace kubecoro::apiserver {

struct pod_summary
{
    /// "1/2".
    std::string ready;
    /// "Running", "CrashLoopBackOff", "Init:0/1", ...
    std::string status;
    /// "0", or with the last one "3 (5m ago)".
    std::string restarts;
    /// "1/2": the readiness gates that are met. Empty if there are none.
    std::string gates;
};

/// By the rules of kube-apiserver.
[[nodiscard]] pod_summary summarise_pod(const boost::json::value& pod, wall_time now);

} // namespace kubecoro::apiserver
