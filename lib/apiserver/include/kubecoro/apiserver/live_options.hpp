// How workloads run on a server that plays a cluster.
#pragma once

#include <chrono>
#include <cstddef>

namespace kubecoro::apiserver {

/** Options of a live server: it schedules pods, starts them and ends those of jobs, and does the work of the controllers of
    Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs. No container runs.

    A pod with the annotation `live.kubecoro.dev/outcome: fail` does not become ready, or fails if it does not restart. */
struct live_options
{
    /// From a pod's binding to a node until it runs and is ready.
    std::chrono::seconds start_after{1};
    /// How long a pod runs that does not restart, until it succeeds or fails.
    std::chrono::seconds run_for{2};
    /// Nodes to create if the cluster has none; 0: pods stay pending until there is one.
    std::size_t nodes = 1;
};

} // namespace kubecoro::apiserver
