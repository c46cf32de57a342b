// Options of the embedded API server: of its state, its answers, the cluster that a live server plays; its users and their rules.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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

/// Options of the answers to requests.
struct request_handler_options
{
    /// The gitVersion that /version reports.
    std::string git_version = "v1.36.0-kubecoro";
    /// A watch without timeoutSeconds ends after a random time, uniform in [min, 2 min].
    std::chrono::seconds min_watch_timeout{1800};
    /// Time between bookmarks on a watch that asked for them.
    std::chrono::seconds bookmark_interval{60};
    /// Seeds the server's random choices.
    std::uint64_t seed = 1;
    /// The secret that signs tokens of service accounts. Empty: random, so that tokens end with the handler.
    std::string token_key = {};
    /// Maximum nesting of JSON in a request body; deeper bodies are refused.
    std::size_t max_depth = 256;
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

/// The authenticated user of a request.
struct user_info
{
    /// The user name.
    std::string name;
    /// The user's groups.
    std::vector<std::string> groups = {};
    /// The user's uid; empty = none.
    std::string uid = {};
    /// Further attributes, each with its values, by their lower-case keys.
    std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};
    friend bool operator==(const user_info&, const user_info&) = default;
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
