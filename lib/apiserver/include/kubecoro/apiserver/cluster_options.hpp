// Options of the state of the embedded API server, and rules for its users.
#pragma once

#include <kubecoro/client/kubeconfig.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// A container of a pod.
struct container_address
{
    /// The pod's namespace.
    std::string ns;
    /// The pod's name.
    std::string pod;
    /// The container's name; that of an init or ephemeral container too. Empty: the pod's only container.
    std::string container = {};
};

/// Options of the state of a cluster.
struct cluster_options
{
    /// Bounds of the logs of containers, in bytes.
    struct log_limits
    {
        /// Bound of one run. Beyond it the oldest lines are dropped.
        std::size_t run = 10u << 20;
        /// Bound of all runs together. Beyond it the longest run drops its oldest lines.
        std::size_t total = 64u << 20;
    };

    /// Events kept per resource, for resuming watches and for lists at an older version. Older versions are answered
    /// with 410.
    std::size_t history = 1000;
    /** Maximum bytes of history over all resources, of which one may have half. Beyond it the resource with the largest
        history drops its oldest events, as by a compaction: requests for them are answered with 410. The objects themselves are
        not counted. */
    std::size_t history_bytes = 128u << 20;
    /** All resource versions exceed it, also after a restore. Requests for earlier versions are answered with 410.

        A server whose clients outlive it needs a number that grows from start to start, such as the microseconds since 1970. A
        crash loses the writes since the last dump, and their versions would be assigned again: an informer that has seen them
        would wait for later versions and miss the changes before. */
    std::uint64_t first_version = 0;
    /// Seeds uids, generated names and the random choices of answers.
    std::uint64_t seed = 1;
    /** Stands in for the kubelet: a pod bound to a node and deleted with a grace period is removed after this time (or
        after its grace period, if that is shorter). Empty: it stays terminating until a delete with grace 0, as with a
        kube-apiserver without kubelets. */
    std::optional<std::chrono::seconds> pod_termination = std::chrono::seconds{1};
    /** Gives every namespace the service account `default` and the config map `kube-root-ca.crt`, again when they are
        deleted, as a cluster's controller manager does. The cluster has the Service `kubernetes` in the namespace
        `default`, with endpoints once the server listens, and the priority classes of the system. Off, so that a test
        finds only what it has made. */
    bool namespace_defaults = false;
    /** Deletes the objects whose owners (metadata.ownerReferences) are gone, as a cluster's controller manager does, and
        carries out the propagation policies Foreground and Orphan, in small steps. Off: objects outlive their owners, and
        owners that are deleted with these policies stay. */
    bool garbage_collection = true;
    /// Maximum bytes of the logs that write_log() sets.
    log_limits logs = {};
};

/// A rule that matches requests by their attributes, and allows or forbids them.
struct access_rule
{
    /// False: forbids the requests that match.
    bool allow = true;
    /// Name of the user; empty or "*" = every user. Groups cannot be named.
    std::string user = {};
    /// get, list, watch, create, update, patch, delete, deletecollection, impersonate; or the HTTP verb for a path. Empty or "*" =
    /// every verb.
    std::string verb = {};
    /// "pods", "deployments.apps" or "pods/status". A name without a group matches in every group, a name without a
    /// subresource only the resource itself. "*" = every resource and subresource; empty = these and all paths.
    std::string resource = {};
    /// The namespace; empty or "*" = all. A name does not match requests over all namespaces or for cluster-scoped
    /// resources, except for the namespace object of that name.
    std::string ns = {};
};

} // namespace kubecoro::apiserver
