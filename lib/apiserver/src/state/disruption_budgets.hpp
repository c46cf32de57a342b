// The PodDisruptionBudgets of a cluster by the pods that they select, and their decisions about evictions.
#pragma once

#include "objects/label_match.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/detail/status_error.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/json/value.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// Follows the budgets, so that their selectors are parsed once. Not thread safe: used on the strand of the state.
class disruption_budgets final : store_follower
{
public:
    explicit disruption_budgets(std::shared_ptr<const resource_store> store) : store_follower(std::move(store)) {}

    /// The budgets that select a pod, by their keys.
    [[nodiscard]] std::vector<stored> of(const stored_object& pod);

private:
    struct entry
    {
        stored budget;
        /// Empty: it selects nothing.
        std::optional<label_match> selector;
    };

    void clear() override { budgets_.clear(); }
    void put(const stored& object) override;
    void erase(const std::string& key) override { budgets_.erase(key); }

    std::map<std::string, entry, std::less<>> budgets_;
};

/// The selector of a budget; empty: it selects nothing.
[[nodiscard]] std::optional<label_match> pods_selected_by(const boost::json::value& budget);

/// Whether an eviction of the pod needs no budget: it has ended, has not begun, or is being deleted.
[[nodiscard]] bool needs_no_budget(const stored_object& pod, const boost::json::value& body);

/// Whether the pod may go without being counted: it is not ready, and the budget allows that.
[[nodiscard]] bool may_go_uncounted(const boost::json::value& pod, const boost::json::value& budget);

/** Counts the eviction of a pod in the status of a budget. Errors: 429 with the cause DisruptionBudget if it allows none
    now; 403 for a status that cannot be counted in. */
[[nodiscard]] std::optional<status_error> count_eviction(const resource_info& info, std::string_view pod,
                                                         boost::json::value& budget, wall_time now);

/// Sets the condition DisruptionAllowed of a budget's status to what the status says.
void set_disruption_allowed(boost::json::object& status, wall_time now);
/// Sets it to False, since the controller of budgets has failed.
void set_sync_failed(boost::json::object& status, std::string_view why, wall_time now);

} // namespace kubecoro::apiserver
