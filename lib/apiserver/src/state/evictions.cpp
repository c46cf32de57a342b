// Evictions: deletions of pods that disruption budgets limit.
#include "objects/conditions.hpp"
#include "objects/status_errors.hpp"
#include "state/disruption_budgets.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

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
    if (how.dry_run) return remove(at, how, now);
    // The condition tells why the pod ends; a pod that will not be deleted must not have it.
    auto trial = how;
    trial.dry_run = true;
    if (const auto possible = remove(at, trial, now); !possible) return possible.error();
    auto body = to_json(**pod);
    live::set_condition(object_member(body.get_object(), "status"),
                        {"DisruptionTarget", true, "EvictionByEvictionAPI", "Eviction API: evicting"}, now);
    auto status = at;
    status.version = at.store->info.storage_version;
    status.subresource = "status";
    const auto marked = update(status, std::move(body), {}, now);
    if (!marked) return marked.error();
    auto final = how;
    if (how.resource_version) final.resource_version = std::to_string((*marked)->version);
    return remove(at, final, now);
}

} // namespace kubecoro::apiserver
