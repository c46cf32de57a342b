// The means of the controllers of a live cluster: the state, the pods, the time, and a bound on their writes.
#pragma once

#include "live/pod_table.hpp"
#include "live/scheduling.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/cluster_options.hpp>
#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver::live {

/// The context of one run of a controller. The controller stops early at the bound and is run again.
struct workbench
{
    cluster_state_core& state;
    const pod_table& pods;
    wall_time now;
    /// Writes that are left for this turn.
    std::size_t& writes;
    /// Runs the controller again at this time, or at once after `now`.
    std::function<void(wall_time)> again;

    /// Creates an object; nothing happens at the bound. @return whether it was created.
    bool create(std::string_view resource, std::string_view ns, boost::json::value body) const;
    void remove(std::string_view resource, std::string_view ns, std::string_view name) const;
    /// Stores the whole object.
    void update(std::string_view resource, boost::json::value body, std::string_view subresource = {}) const;
    /// Stores the status if it differs from the object's.
    void set_status(std::string_view resource, boost::json::value body, boost::json::object status) const;

    /// Creates and removes pods of a set. @param made  Makes one pod, whose name may be generated.
    void create_pods(std::int64_t count, const boost::json::value& owner,
                     const std::function<boost::json::value()>& made) const;
    void remove_pods(std::string_view ns, const std::vector<std::string>& names) const;
};

/// A pod of a template, controlled by `owner`, an object of this API version and kind.
[[nodiscard]] boost::json::value pod_of(const boost::json::value& owner, const boost::json::value& pod_template);
[[nodiscard]] boost::json::value owner_reference(const boost::json::value& owner);
/// A short text that differs where templates differ.
[[nodiscard]] std::string template_hash(const boost::json::value& pod_template);
[[nodiscard]] std::string uid_of(const boost::json::value& body);

/// The controllers. Each brings the world one step closer to what the object states.
void run_node(const workbench& w, const boost::json::value& node);
void run_replica_set(const workbench& w, const boost::json::value& set);
/// @param sets  The deployment's replica sets.
void run_deployment(const workbench& w, const boost::json::value& deployment, std::vector<boost::json::value> sets);
void run_job(const workbench& w, const boost::json::value& job);
/// @param on  The nodes that its pods fit.
void run_daemon_set(const workbench& w, const boost::json::value& set, const daemon_scheduling& on);
/// The scale of a controller of pods by its uid, with the uid of the one that states it; empty: not known.
using scale_lookup = std::function<std::optional<std::pair<std::string, std::int64_t>>(const std::string& uid)>;
/// @param pods  Those that the budget selects.
void run_disruption_budget(const workbench& w, const boost::json::value& budget,
                           const std::vector<const pod_digest*>& pods, const scale_lookup& scale_of);
void run_stateful_set(const workbench& w, const boost::json::value& set);

} // namespace kubecoro::apiserver::live
