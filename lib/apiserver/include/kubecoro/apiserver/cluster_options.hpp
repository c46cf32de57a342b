// Options of the embedded API server's state, and of the cluster that a live server plays.
#pragma once

#include <kubecoro/apiserver/container_logs.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace kubecoro::apiserver {

/// Options of a cluster_state_core.
struct cluster_options
{
    /// Events kept per resource, for resuming watches and for lists at an older version. Older versions are answered
    /// with 410.
    std::size_t history = 1000;
    /** Maximum bytes of history per resource. Beyond it the oldest events are dropped, as by a compaction: requests for
        them are answered with 410. The objects themselves are not counted. */
    std::size_t history_bytes_per_resource = 64u << 20;
    /// Maximum bytes of history over all resources. Beyond it the resource with the largest history drops its oldest
    /// events.
    std::size_t history_bytes = 256u << 20;
    /** All resource versions exceed it, also after a restore. Requests for earlier versions are answered with 410.

        A server whose clients outlive it needs a number that grows from start to start, such as the microseconds since 1970. A
        crash loses the writes since the last dump, and their versions would be assigned again: an informer that has seen them
        would wait for later versions and miss the changes before. */
    std::uint64_t first_version = 0;
    /// Seeds uids and generated names.
    std::uint64_t seed = 1;
    /** Stands in for the kubelet: a pod bound to a node and deleted with a grace period is removed after this time (or
        after its grace period, if that is shorter). Empty: it stays terminating until a delete with grace 0, as with a
        kube-apiserver without kubelets. Needs tick(). */
    std::optional<std::chrono::seconds> pod_termination = std::chrono::seconds{1};
    /** Gives every namespace the service account `default` and the config map `kube-root-ca.crt`, again when they are
        deleted, as a cluster's controller manager does. The cluster has the Service `kubernetes` in the namespace
        `default`, with endpoints once the server listens, and the priority classes of the system. Off, so that a test
        finds only what it has made. */
    bool namespace_defaults = false;
    /** Deletes the objects whose owners (metadata.ownerReferences) are gone, as a cluster's controller manager does, and
        carries out the propagation policies Foreground and Orphan, in small steps. Off: objects outlive their owners, and
        owners that are deleted with these policies stay. Needs tick(). */
    bool garbage_collection = true;
    /// Maximum bytes of the logs that write_log() sets.
    container_log_limits logs = {};
};

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
