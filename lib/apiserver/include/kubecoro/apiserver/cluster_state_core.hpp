// The embedded API server's state: objects, versions, history. No I/O, no clock, no threads.
#pragma once

#include <kubecoro/apiserver/status_error.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/random.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/fwd.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

struct stored_object;
class resource_store;
struct resource_info;

/// Options of a cluster_state_core.
struct cluster_options
{
    /// Events kept per resource for watches that resume and lists at an older version; older versions answer 410.
    std::size_t history = 1000;
    /** Bytes that the changes of one resource may take, and those of all together. Beyond either the oldest are forgotten,
        as by a compaction: 410 for who wants them. The objects themselves are not counted. */
    std::size_t history_bytes_per_resource = 64u << 20;
    std::size_t history_bytes = 256u << 20;
    /// Seeds uids and generated names.
    std::uint64_t seed = 1;
    /** There is no kubelet here: a pod on a node that is deleted with a grace period really goes this long after (or
        after its grace period, if that is shorter). Empty: it stays terminating until somebody deletes it with grace 0,
        which is what a kube-apiserver alone does. Needs tick(). */
    std::optional<std::chrono::seconds> pod_termination = std::chrono::seconds{1};
};

/// Where an object or a collection is, as a request names it.
struct object_address
{
    std::shared_ptr<resource_store> store;
    /// The version the client speaks; for custom resources it may differ from the stored one.
    std::string version = {};
    /// Empty: all namespaces, or cluster scope.
    std::string ns = {};
    /// The object's name.
    std::string name = {};
    /// "", "status", "scale", "finalize".
    std::string subresource = {};
};

/// A write's options that matter to the state.
struct write_flags
{
    /// Checks the request and changes nothing.
    bool dry_run = false;
    /// A new object keeps the status, uid and creation time it came with (manifests); over HTTP they are the server's.
    bool keep_status = false;
};

/// DeleteOptions as understood.
struct delete_request
{
    /// Checks the request and changes nothing.
    bool dry_run = false;
    std::optional<std::int64_t> grace_seconds = {};
    std::string uid = {};
    std::string resource_version = {};
    /// "", "Background", "Foreground", "Orphan".
    std::string propagation = {};
};

/// What a delete answers.
struct delete_result
{
    /// The object as it was last (or stays, held by finalizers or its grace period).
    std::shared_ptr<const stored_object> last;
    /// It is gone.
    bool gone = true;
};

/** All objects of a cluster, one version counter for everything, and per resource a bounded history of changes.

    Behaves like kube-apiserver 1.36 as far as clients can tell. What controllers do in a cluster is done here only
    where clients would hang otherwise: a deleted namespace is emptied and removed, the condition of a new
    CustomResourceDefinition becomes Established at once, pods on nodes terminate (see cluster_options).

    Not thread safe: one strand owns it with everything made from it. Time is an argument. */
class cluster_state_core
{
public:
    /// Starts with the namespaces default, kube-system, kube-public and kube-node-lease.
    explicit cluster_state_core(cluster_options options, wall_time now);
    ~cluster_state_core();
    cluster_state_core(const cluster_state_core&) = delete;
    cluster_state_core& operator=(const cluster_state_core&) = delete;

    /// The newest version given out.
    [[nodiscard]] std::uint64_t resource_version() const noexcept { return *version_; }

    /// Forgets the history: watches and continued lists at versions before now are answered with 410. Open watches go
    /// on.
    void compact();

    /** What is due by time: terminating pods go.
        @return when to call again; empty when nothing is pending. */
    std::optional<wall_time> tick(wall_time now);

    /// Called after each change with the name of its resource ("pods", "deployments.apps"), from inside the change:
    /// it must not call back. One listener; empty removes it.
    void on_change(std::function<void(std::string_view resource)> listener) { listener_ = std::move(listener); }

    /// Complete JSON of every object of a resource in list order; empty for an unknown resource.
    [[nodiscard]] std::vector<std::string> objects(std::string_view resource) const;

    /// Everything but the history, as text that restore() reads.
    [[nodiscard]] std::string dump() const;
    /** Replaces all objects by those of a dump; versions go on where they were. Watches from before the dump get 410.

        Only for a state that nobody watches yet. Errors: cond::invalid naming the line; the state is then of no use. */
    [[nodiscard]] result<> restore(std::string_view dump, wall_time now);

    /// @param group_plural  "pods", "deployments.apps". Null when there is none.
    [[nodiscard]] std::shared_ptr<resource_store> find(std::string_view group_plural) const;
    [[nodiscard]] std::shared_ptr<resource_store> find(std::string_view group, std::string_view plural) const;
    /// Every resource served, by group (core first) and name.
    [[nodiscard]] std::vector<std::shared_ptr<resource_store>> resources() const;
    /// Changes whenever the set of resources does.
    [[nodiscard]] std::uint64_t discovery_version() const noexcept { return discovery_version_; }

    using stored = std::shared_ptr<const stored_object>;
    [[nodiscard]] answer<stored> get(const object_address& at) const;
    [[nodiscard]] answer<stored> create(const object_address& at, boost::json::value body, write_flags flags,
                                        wall_time now);
    /// Replaces; for a subresource only its part. `body` states the version it is based on, or none.
    [[nodiscard]] answer<stored> update(const object_address& at, boost::json::value body, write_flags flags,
                                        wall_time now);
    [[nodiscard]] answer<delete_result> remove(const object_address& at, const delete_request& how, wall_time now);

private:
    [[nodiscard]] std::string new_uid();
    [[nodiscard]] std::string generated_suffix();
    [[nodiscard]] std::optional<status_error> check_namespace(const object_address& at, std::string_view name) const;
    [[nodiscard]] answer<stored> update_found(const object_address& at, const stored& current, boost::json::value body,
                                              write_flags flags, wall_time now);

    /// Stores a new state and tells the watchers. `before` is null for a new object.
    stored commit(resource_store& store, const stored& before, boost::json::value& body);
    /// Removes an object and tells the watchers; gives the last state at the version of the deletion.
    stored erase(resource_store& store, const stored& last, wall_time now);
    /// Sets the deletion mark; the object stays.
    stored mark_deleted(resource_store& store, const stored& current, std::int64_t grace_seconds, wall_time now);
    /// Deletes without asking: marks what finalizers hold, erases the rest.
    void sweep(resource_store& store, const std::vector<stored>& doomed, wall_time now);

    [[nodiscard]] answer<delete_result> remove_pod(resource_store& store, const stored& current,
                                                   const delete_request& how, wall_time now);
    [[nodiscard]] delete_result remove_namespace(resource_store& store, const stored& current, wall_time now);
    [[nodiscard]] delete_result remove_crd(resource_store& store, const stored& current, wall_time now);
    void finish_namespace(std::string_view name, wall_time now);
    void finish_crd(std::string_view name, wall_time now);
    /// Serves a definition whose names are free, under its newest form; says in its conditions which names are not.
    void settle_crd(const stored& crd, wall_time now);
    /// Names have become free: definitions that waited for them may be served.
    void settle_group(std::string_view group, wall_time now);
    /// Definitions of the group that are not established.
    [[nodiscard]] std::vector<stored> unestablished(std::string_view group) const;
    void bound_history();
    [[nodiscard]] bool restore_object(const boost::json::value& entry, wall_time now);
    void add_resource(resource_info info);
    void changed(const resource_store& store) const;

    cluster_options options_;
    random_source random_;
    /// Shared with open watches, which may outlive the state.
    std::shared_ptr<std::uint64_t> version_ = std::make_shared<std::uint64_t>(0);
    /// Bytes of all histories.
    std::shared_ptr<std::size_t> history_bytes_ = std::make_shared<std::size_t>(0);
    std::uint64_t discovery_version_ = 1;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<resource_store>> stores_;
    std::multimap<wall_time, std::pair<std::string, std::string>> terminating_pods_;
    std::function<void(std::string_view)> listener_;
};

} // namespace kubecoro::apiserver
