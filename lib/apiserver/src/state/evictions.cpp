// Evictions: deletions of pods that disruption budgets limit.
#include "render/json_text.hpp"
#include "render/status_errors.hpp"
#include "state/disruption_budgets.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/cluster_state_core.hpp>

namespace kubecoro::apiserver {

std::optional<status_error> cluster_state_core::spend_budget(const stored_object& pod, bool dry_run, wall_time now)
{
    const auto body = to_json(pod);
    if (needs_no_budget(pod, body)) return {};
    const auto selecting = budgets_->of(pod);
    if (selecting.empty()) return {};
    if (selecting.size() > 1)
        return errors::internal(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
            "support.");
    auto budget = to_json(*selecting.front());
    if (may_go_uncounted(body, budget)) return {};
    object_address at{find("policy", "poddisruptionbudgets")};
    if (auto refused = count_eviction(at.store->info, pod.name, budget, now)) return refused;
    if (dry_run) return {};
    at.version = at.store->info.storage_version;
    at.ns = pod.ns;
    at.name = selecting.front()->name;
    at.subresource = "status";
    const auto counted = update(at, std::move(budget), {}, now);
    return counted ? std::nullopt : std::optional(counted.error());
}

answer<delete_result> cluster_state_core::evict(const object_address& at, const delete_request& how, wall_time now)
{
    const auto pod = get(at);
    if (!pod) return pod.error();
    if (auto refused = spend_budget(**pod, how.dry_run, now)) return *refused;
    return remove(at, how, now);
}

} // namespace kubecoro::apiserver
