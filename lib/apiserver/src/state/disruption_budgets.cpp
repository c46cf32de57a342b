#include "state/disruption_budgets.hpp"

#include "objects/conditions.hpp"
#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <chrono>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view condition_type = "DisruptionAllowed";
/// Evictions that the controller of budgets has not noticed yet.
constexpr std::size_t most_disrupted_pods = 2000;

status_error refuse(std::chrono::seconds retry_after, std::string why)
{
    auto e = errors::make(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
    if (retry_after.count() > 0) e.retry_after = retry_after;
    e.causes.push_back({"DisruptionBudget", std::move(why), {}});
    return e;
}

std::string why_none_is_allowed(const json::value& budget)
{
    const std::string begin = "The disruption budget " + std::string(text_at(budget, "metadata.name"));
    const auto healthy = int_at(budget, "status.currentHealthy");
    const auto wanted = int_at(budget, "status.desiredHealthy");
    const auto* condition = live::find_condition(budget, condition_type);
    const bool tells = condition && text_at(*condition, "status") == "False" && !text_at(*condition, "message").empty();
    const auto message = tells ? std::string(text_at(*condition, "message")) : std::string();
    const auto reason = tells ? std::string(text_at(*condition, "reason")) : std::string();
    if (reason == "SyncFailed")
        return begin + " does not allow evicting pods currently because it failed sync: " + message;
    if (healthy <= wanted)
        return begin + " needs " + std::to_string(wanted) + " healthy pods and has " + std::to_string(healthy) +
               " currently";
    return begin + " does not allow evicting pods currently" + (tells ? " (" + reason + "): " + message : "");
}

void set_allowed(json::object& status, const live::condition& c, wall_time now)
{
    live::set_condition(status, c, now);
    const auto* observed = status.if_contains("observedGeneration");
    for (auto& each : status.at("conditions").get_array())
        if (observed && text_at(each, "type") == condition_type) each.get_object()["observedGeneration"] = *observed;
}

} // namespace

std::optional<label_match> pods_selected_by(const json::value& budget)
{
    const auto* selector = find_at(budget, "spec.selector");
    if (!selector || !selector->is_object()) return {};
    return label_match::of(*selector);
}

void disruption_budgets::put(const stored& object)
{
    budgets_.insert_or_assign(object->key, entry{object, pods_selected_by(to_json(*object))});
}

std::vector<stored> disruption_budgets::of(const stored_object& pod)
{
    follow();
    std::vector<stored> out;
    const auto [first, last] = key_range(pod.ns);
    for (auto at = budgets_.lower_bound(first); at != budgets_.end() && at->first < last; ++at)
        if (const auto& [budget, selector] = at->second; selector && selector->matches(pod)) out.push_back(budget);
    return out;
}

bool needs_no_budget(const stored_object& pod, const json::value& body)
{
    const auto phase = text_at(body, "status.phase");
    return pod.deleting || phase == "Pending" || phase == "Succeeded" || phase == "Failed";
}

bool may_go_uncounted(const json::value& pod, const json::value& budget)
{
    if (live::has_condition(pod, "Ready")) return false;
    if (text_at(budget, "spec.unhealthyPodEvictionPolicy") == "AlwaysAllow") return true;
    const auto wanted = int_at(budget, "status.desiredHealthy");
    return wanted > 0 && int_at(budget, "status.currentHealthy") >= wanted;
}

std::optional<status_error> count_eviction(const resource_info& info, std::string_view pod, json::value& budget,
                                           wall_time now)
{
    const std::string name(text_at(budget, "metadata.name"));
    const auto forbid = [&](std::string_view why) {
        auto e = errors::forbidden(info, name, why);
        e.kind = "poddisruptionbudget";
        e.message = "poddisruptionbudget." + info.group + " " + quote(name) + " is forbidden: " + std::string(why);
        return e;
    };
    if (int_at(budget, "status.observedGeneration") < int_at(budget, "metadata.generation"))
        return refuse(std::chrono::seconds{10},
                      "The disruption budget " + name + " is still being processed by the server.");
    const auto allowed = int_at(budget, "status.disruptionsAllowed");
    if (allowed < 0) return forbid("pdb disruptions allowed is negative");
    if (const auto* disrupted = object_at(budget, "status.disruptedPods");
        disrupted && disrupted->size() > most_disrupted_pods)
        return forbid("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
    if (allowed == 0) return refuse({}, why_none_is_allowed(budget));
    auto& status = object_member(budget.get_object(), "status");
    status["disruptionsAllowed"] = allowed - 1;
    if (allowed == 1) set_disruption_allowed(status, now);
    object_member(status, "disruptedPods")[pod] = format_time(now);
    return {};
}

void set_disruption_allowed(json::object& status, wall_time now)
{
    const auto* count = status.if_contains("disruptionsAllowed");
    const bool allowed = count && count->is_int64() && count->get_int64() > 0;
    set_allowed(status, {condition_type, allowed, allowed ? "SufficientPods" : "InsufficientPods"}, now);
}

void set_sync_failed(json::object& status, std::string_view why, wall_time now)
{
    status["disruptionsAllowed"] = 0;
    set_allowed(status, {condition_type, false, "SyncFailed", why}, now);
}

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
