// Plays the rest of a cluster: scheduler, kubelets and the controllers of workloads. No clock, no threads.
#pragma once

#include "live/pod_table.hpp"
#include "live/scheduling.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kubecoro::apiserver::live {

struct workbench;

/** Follows the histories of the workloads' resources, like a watch, and brings each object one step closer to what it
    states. A call does a bounded number of steps. Deterministic: the same changes at the same times give the same. */
class live_cluster
{
public:
    live_cluster(cluster_state_core& state, std::size_t nodes, wall_time now);

    /** Does a part of the work that is due, that of the state included: what one does is due for the other. A controller
        that throws runs again later, by itself; the others go on. @return when to call again, at once if some is left. */
    [[nodiscard]] std::optional<wall_time> tick(wall_time now);
    /// The exception of a controller in the last tick; null if none threw.
    [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
    /// The state was replaced.
    void restored(wall_time now);

private:
    /// In the order in which they are looked at: what has happened before what is to be done.
    enum kind : unsigned
    {
        node,
        pod,
        replica_set,
        job,
        daemon_set,
        stateful_set,
        deployment,
        budget,
        kinds
    };
    struct item
    {
        kind what;
        std::string key;
        auto operator<=>(const item&) const = default;
    };

    void make_nodes(wall_time now);
    /// Looks at everything again.
    void start_over();
    void follow();
    void note(kind what, const stored_object& object, bool gone);
    void note_pod(const stored_object& pod, bool gone);
    /// The nodes have changed: pods may be bound now.
    void note_nodes();
    void wake_owner(const std::string& uid);
    /// A pod is gone: wakes the stateful set that may have waited for its name, which a pod of another owner had.
    void wake_set_of_name(const std::string& pod_key);
    /// Wakes the disruption budgets that select a pod.
    void wake_budgets(const stored_object& changed);
    void take_due(wall_time now);
    /// Runs the controller of the first item that is ready.
    void run_next(wall_time now);
    void plan_retry(wall_time now);
    void set_alarm(const item& of, wall_time when);
    void run(const item& i, wall_time now);
    void run_pod(const workbench& w, const boost::json::value& body);
    void run_budget(const workbench& w, const boost::json::value& body);
    /// See scale_lookup.
    [[nodiscard]] std::optional<std::pair<std::string, std::int64_t>> scale_of(const std::string& uid) const;
    [[nodiscard]] std::vector<boost::json::value> sets_of(const std::string& uid) const;

    cluster_state_core& state_;
    const std::size_t nodes_to_create_;
    std::array<std::shared_ptr<resource_store>, kinds> stores_;
    /// The number of the next change of each.
    std::array<std::uint64_t, kinds> next_{};
    pod_table pods_;
    node_table nodes_;
    /// Workloads by uid, and replica sets by their owners' uids.
    std::map<std::string, item> by_uid_;
    std::map<std::string, std::set<std::string>> sets_;
    std::set<item> ready_;
    /// Items whose controllers threw.
    std::set<item> failed_;
    static constexpr std::chrono::seconds shortest_retry{1}, longest_retry{64};
    std::chrono::seconds retry_after_ = shortest_retry;
    wall_time retry_at_ = {};
    wall_time last_tick_ = {};
    std::exception_ptr failure_;
    /// Something was noted in part only: everything has to be looked at again.
    bool stale_ = false;
    std::map<item, wall_time> alarms_;
    std::set<std::pair<wall_time, item>> alarms_in_order_;
    std::size_t writes_ = 0;
    std::uint32_t addresses_ = 0;
    std::size_t bindings_ = 0;
};

} // namespace kubecoro::apiserver::live
