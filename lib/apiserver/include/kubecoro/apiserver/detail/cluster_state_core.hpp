// The embedded API server's state: objects, versions, history. No I/O, no clock, no threads.
#pragma once

#include <kubecoro/apiserver/cluster_options.hpp>
#include <kubecoro/apiserver/detail/container_logs.hpp>
#include <kubecoro/apiserver/detail/object_requests.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/fwd.hpp>

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

struct stored_object;
class disruption_budgets;
class garbage_collector;
class managed_fields;
class names_in_use;
class priority_classes;
class resource_store;
class role_aggregator;
struct crd_names;
struct resource_info;

/** All objects of a cluster, one version counter for all of them, and a bounded history of changes per resource.

    Behaves towards clients like kube-apiserver 1.36. Does a cluster's controllers' work only where clients would hang
    otherwise: a deleted namespace is emptied and removed, a new CustomResourceDefinition becomes Established at once,
    pods on nodes terminate, aggregated ClusterRoles get their rules, and objects whose owners are gone are deleted (see
    cluster_options).

    Not thread safe: confined to one strand, together with everything obtained from it. Time is an argument. */
class cluster_state_core
{
public:
    /// Creates the namespaces default, kube-system, kube-public and kube-node-lease, and what the options ask for.
    explicit cluster_state_core(cluster_options options, wall_time now);
    ~cluster_state_core();
    cluster_state_core(const cluster_state_core&) = delete;
    cluster_state_core& operator=(const cluster_state_core&) = delete;

    /// The newest resource version assigned.
    [[nodiscard]] std::uint64_t resource_version() const noexcept { return *version_; }

    /// Drops the history: watches and continued lists at earlier versions are answered with 410. Open watches continue.
    void compact();

    /** Does a part of the work that is due: removes pods whose termination time has passed, objects of deleted namespaces
        and definitions, and those whose owners are gone, and writes the rules of aggregated ClusterRoles. An exception (out
        of memory) loses none of it: another call tries again. @return when to call again, at once if some is left; empty
        when nothing is pending. */
    std::optional<wall_time> tick(wall_time now);

    /// Sets the function called after each change with the resource's name ("pods", "deployments.apps"). It runs inside
    /// the change and must not call back. One listener; empty removes it.
    void on_change(callback<void(std::string_view resource)> listener) { listener_ = std::move(listener); }

    /// Complete JSON of every object of a resource in list order; empty for an unknown resource.
    [[nodiscard]] std::vector<std::string> objects(std::string_view resource) const;

    /// Returns everything but the history, as text that restore() reads.
    [[nodiscard]] std::string dump() const;
    /** Replaces all objects by those of a dump; the version counter continues from the dump's. Watches at versions
        before the dump are answered with 410.

        Only for a state without watches. Errors: cond::invalid naming the line; the state is then unusable. */
    [[nodiscard]] result<> restore(std::string_view dump, wall_time now);

    /// @param group_plural  "pods", "deployments.apps". @return null for an unknown resource.
    [[nodiscard]] std::shared_ptr<resource_store> find(std::string_view group_plural) const;
    /// @param group  Empty for the core group. @param plural  "pods". @return null for an unknown resource.
    [[nodiscard]] std::shared_ptr<resource_store> find(std::string_view group, std::string_view plural) const;
    /// Every served resource, ordered by group (core first) and name.
    [[nodiscard]] std::vector<std::shared_ptr<resource_store>> resources() const;
    /// Changes whenever the set of resources changes.
    [[nodiscard]] std::uint64_t discovery_version() const noexcept { return discovery_version_; }

    /// One state of an object: immutable, shared.
    using stored = std::shared_ptr<const stored_object>;
    /// Returns the object, whatever the subresource of the address. Errors: 404.
    [[nodiscard]] answer<stored> get(const object_address& at) const;
    /** Creates an object. Its name is the body's metadata.name, or made from metadata.generateName; the name of the
        address is ignored.

        @param body  A JSON object.
        @return the new object; with dry_run, the one that would have been stored. Errors: as a kube-apiserver's, such as
        404 for an unknown namespace, 403 for one that is being deleted, 409 for a name that exists, 422 for an invalid
        object. */
    [[nodiscard]] answer<stored> create(const object_address& at, boost::json::value body, write_flags flags,
                                        wall_time now);
    /// Replaces an object, or for a subresource its part only. `body` may carry the resourceVersion it is based on.
    [[nodiscard]] answer<stored> update(const object_address& at, boost::json::value body, write_flags flags,
                                        wall_time now);
    /** Applies a configuration (server-side apply): the object gets all that it states, and loses what the same manager
        applied before and states no more, unless others own it. Creates the object if it does not exist.

        @param config  A JSON object with kind and apiVersion. @param flags  The manager must be set.
        @return errors: 409 with a cause for each field that another manager owns; 500 for fields that the schema does not
        have; those of create() and update(). */
    [[nodiscard]] answer<apply_result> apply(const object_address& at, boost::json::value config, write_flags flags,
                                             wall_time now);
    /// The same for the replicas of an object. @param config  An autoscaling/v1 Scale. @return the object.
    [[nodiscard]] answer<stored> apply_scale(const object_address& at, boost::json::value config, write_flags flags,
                                             wall_time now);
    /// Deletes an object, or marks it as deleted while finalizers or its grace period keep it. Errors: 404; 409 for a
    /// precondition that does not hold.
    [[nodiscard]] answer<delete_result> remove(const object_address& at, const delete_request& how, wall_time now);

    /** Deletes a pod, unless a PodDisruptionBudget forbids it at present; one that allows it counts it in its status.

        @return as remove(). Errors: those of remove(); 429 with the cause DisruptionBudget; 500 if several budgets
        select the pod. */
    [[nodiscard]] answer<delete_result> evict(const object_address& at, const delete_request& how, wall_time now);
    /// The budgets of the cluster, by the pods that they select.
    [[nodiscard]] disruption_budgets& budgets() noexcept { return *budgets_; }

    /** Sets the address of the server, to which the Service `kubernetes` leads. Nothing happens without
        cluster_options::namespace_defaults.

        @param ip  An IP address that clients can connect to. */
    void publish_endpoint(std::string_view ip, std::uint16_t port, wall_time now);

    /** Adds certificates to the config maps `kube-root-ca.crt`. Nothing happens without
        cluster_options::namespace_defaults, or if they are there already. */
    void publish_root_ca(std::string_view pem);

    /// A container that exists.
    struct container_place
    {
        /// The pod's uid.
        std::string uid;
        /// The container's name.
        std::string container;
    };
    /// Finds a container by its pod's specification. Errors: 404; 400 for a missing or ambiguous name.
    [[nodiscard]] answer<container_place> find_container(const container_address& at) const;
    /// Changes the log of a container. Then on_change() is called with `log_resource`. Errors: those of find_container().
    [[nodiscard]] answer<void> write_log(const container_address& at, log_change how, std::string_view text,
                                         wall_time now);
    /// The logs of all containers, which end with their pods.
    [[nodiscard]] container_logs& logs() noexcept { return logs_; }
    /// The name under which on_change() reports changed logs.
    static constexpr std::string_view log_resource = "pods/log";

private:
    friend class garbage_collector;
    [[nodiscard]] std::string new_uid();
    [[nodiscard]] std::string generated_suffix();
    /// A name for metadata.generateName: one that is free, or after eight attempts one that is not.
    [[nodiscard]] std::string generated_name(const resource_store& store, std::string_view ns, std::string_view prefix);
    [[nodiscard]] std::optional<status_error> check_namespace(const object_address& at, std::string_view name) const;
    /// No objects of a definition are created while it is being deleted.
    [[nodiscard]] std::optional<status_error> check_definition(const resource_info& info, std::string_view name) const;
    /// @param applied  The owners of the fields after an apply; null for a create.
    [[nodiscard]] answer<stored> create_new(const object_address& at, boost::json::value body, const write_flags& flags,
                                            wall_time now, const managed_fields* applied);
    /// @param applied  The owners of the fields after an apply; null for an update.
    [[nodiscard]] answer<stored> update_found(const object_address& at, const stored& current, boost::json::value body,
                                              const write_flags& flags, wall_time now, const managed_fields* applied);

    /// Stores a new state and records the event. `before` is null for a new object.
    stored commit(resource_store& store, const stored& before, boost::json::value& body);
    /// The same for an object in its stored form.
    stored commit_settled(resource_store& store, const stored& before, const boost::json::value& body);
    /// Removes an object and records the event. Returns the last state at the version of the deletion.
    stored erase(resource_store& store, const stored& last, wall_time now);
    /// Stores `body` with a deletionTimestamp; the object stays.
    stored mark_deleted(resource_store& store, const stored& current, boost::json::value body,
                        std::int64_t grace_seconds, wall_time now);
    /// Deletes unconditionally: marks objects with finalizers as deleted, erases the others.
    void sweep(resource_store& store, const std::vector<stored>& doomed, wall_time now);

    /// @return the refusal of the budget that selects the pod, if any.
    [[nodiscard]] std::optional<status_error> spend_budget(const stored_object& pod, bool dry_run, wall_time now);
    /// @param body  The pod with the finalizers of its deletion.
    [[nodiscard]] answer<delete_result> remove_pod(resource_store& store, const stored& current,
                                                   boost::json::value body, const delete_request& how, wall_time now);
    [[nodiscard]] delete_result remove_namespace(resource_store& store, const stored& current, wall_time now);
    [[nodiscard]] delete_result remove_crd(resource_store& store, const stored& current, wall_time now);
    /// A deletion of all objects of a namespace, or of a definition, which goes on in tick() if they are many.
    struct pending_sweep
    {
        /// Empty: all objects of one resource.
        std::string ns = {};
        /// Group and plural of the resource, or the first one that may have objects left.
        std::pair<std::string, std::string> resource = {};
        /// The key of the object that was deleted last.
        std::string after = {};
    };
    /// As commit(). The sweep is planned if the change is stored, also if a later step fails.
    stored commit_with_sweep(resource_store& store, const stored& before, boost::json::value& body,
                             pending_sweep sweep);
    /// Objects that the deletion of a namespace or definition deletes before it is answered: tens of milliseconds.
    static constexpr std::size_t swept_at_once = 1000;
    /// Deletes objects. @return whether some are left.
    bool work_on_sweeps(std::size_t steps, wall_time now);
    /// @return false if none was left.
    [[nodiscard]] bool sweep_next(pending_sweep& s, wall_time now);
    void finish_namespace(std::string_view name, wall_time now);
    void finish_crd(std::string_view name, wall_time now);
    /// Serves a definition under its newest form when its names are free; otherwise reports the conflicts in its
    /// conditions.
    void settle_crd(const stored& crd, wall_time now);
    void settle_crd(const stored& crd, const names_in_use& used, wall_time now);
    /// Called when names have become free: serves the definitions that waited for them.
    void settle_group(std::string_view group, wall_time now);
    /// Definitions of the group that are not established.
    [[nodiscard]] std::vector<stored> unestablished(std::string_view group) const;
    /// The accepted names of a definition that is not established, parsed once for each state of it.
    [[nodiscard]] const crd_names& waiting_names(const stored& crd);
    /// The names of the definitions of a group. @param but  The name of one that does not count; empty: none.
    [[nodiscard]] names_in_use names_of_group(std::string_view group, std::string_view but);
    /// Creates what every namespace contains, if the options ask for it.
    void furnish_namespace(std::string_view ns, wall_time now);
    void furnish_again(const resource_store& store, const stored_object& gone, wall_time now);
    /// Creates what a cluster contains besides, if the options ask for it: the Service kubernetes, priority classes.
    void furnish_cluster(wall_time now);
    /// Writes the endpoints of the Service kubernetes, once the address is known.
    void furnish_endpoints(wall_time now);
    /// Creates an object, or gives one that is there the same content.
    void write_own(const std::shared_ptr<resource_store>& store, boost::json::object body, wall_time now);
    /// Removes the pods whose termination time has passed.
    void end_pods(wall_time now);
    void bound_history();
    [[nodiscard]] bool restore_object(const boost::json::value& entry, wall_time now);
    void add_resource(resource_info info);
    void changed(const resource_store& store) const;
    /// The state of an event in the form of its other group.
    [[nodiscard]] stored event_in(const resource_store& other, const stored& event) const;
    /// Follows the change of an event in its other group.
    void mirror_event(const resource_store& written, const stored& event, bool gone);
    void forget_logs(const stored_object& pod);

    cluster_options options_;
    detail::random_source random_;
    /// Shared with open watches, which may outlive the state.
    std::shared_ptr<std::uint64_t> version_ = std::make_shared<std::uint64_t>(0);
    /// Bytes of all histories.
    std::shared_ptr<std::size_t> history_bytes_ = std::make_shared<std::size_t>(0);
    std::uint64_t discovery_version_ = 1;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<resource_store>> stores_;
    struct known_names
    {
        /// The definition's.
        std::uint64_t version = 0;
        std::shared_ptr<const crd_names> names;
    };
    /// The accepted names of definitions that are not established, by their names.
    std::map<std::string, known_names> waiting_names_;
    std::multimap<wall_time, std::pair<std::string, std::string>> terminating_pods_;
    wall_time last_tick_ = {};
    std::list<pending_sweep> sweeps_;
    /// Null without cluster_options::garbage_collection.
    std::unique_ptr<garbage_collector> garbage_;
    std::unique_ptr<role_aggregator> aggregator_;
    std::unique_ptr<disruption_budgets> budgets_;
    std::unique_ptr<priority_classes> priorities_;
    callback<void(std::string_view)> listener_;
    /// Certificates of the config maps kube-root-ca.crt.
    std::string root_ca_;
    /// The address of the server; empty: not known.
    std::string endpoint_ip_;
    std::uint16_t endpoint_port_ = 6443;
    container_logs logs_;
};

/** Creates or replaces the objects: CustomResourceDefinitions and namespaces first, then the rest in order. Missing
    namespaces are created. `status`, uid and creation time of the manifests are kept.

    @param warnings  Unless null, receives a sentence for each object of which the server ignores a part, such as the CEL
    rules of a definition.
    @return the number of objects written. Errors: cond::invalid naming the object; objects written before it stay. */
[[nodiscard]] result<std::size_t> apply_manifests(cluster_state_core& state, std::vector<boost::json::value> objects,
                                                  wall_time now, std::vector<std::string>* warnings = nullptr);

} // namespace kubecoro::apiserver
