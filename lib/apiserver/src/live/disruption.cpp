#include "live/plans.hpp"
#include "live/workbench.hpp"
#include "state/disruption_budgets.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <chrono>
#include <map>

namespace kubecoro::apiserver::live {
namespace {

/// How long a pod whose eviction was allowed counts as gone, though it is there.
constexpr std::chrono::minutes deletion_timeout{2};

/// The evictions that are under way: those of pods that are there and are not deleted yet.
json::object present_evictions(const workbench& w, const json::value& budget,
                               const std::vector<const pod_digest*>& pods)
{
    json::object out;
    const auto* all = object_at(budget, "status.disruptedPods");
    if (!all) return out;
    for (const auto* p : pods) {
        const auto* since = p->deleting ? nullptr : all->if_contains(p->name);
        wall_time begun{};
        if (!since || !since->is_string() || !parse_time(std::string_view(since->get_string()), begun)) continue;
        if (begun + deletion_timeout < w.now) continue;
        w.again(begun + deletion_timeout + std::chrono::seconds{1});
        out[p->name] = *since;
    }
    return out;
}

/// The replicas that the controllers of the pods state. @param orphan  Set to a pod whose controller is not known.
std::int64_t expected_scale(const std::vector<const pod_digest*>& pods, const scale_lookup& scale_of,
                            std::string& orphan)
{
    std::map<std::string, std::int64_t> scales;
    for (const auto* p : pods) {
        if (p->owner.empty()) continue; // a pod without a controller does not count
        const auto found = scale_of(p->owner);
        if (!found) {
            orphan = p->name;
            return 0;
        }
        scales.insert(*found);
    }
    std::int64_t sum = 0;
    for (const auto& [uid, replicas] : scales) sum += replicas;
    return sum;
}

} // namespace

void run_disruption_budget(const workbench& w, const json::value& budget, const std::vector<const pod_digest*>& pods,
                           const scale_lookup& scale_of)
{
    const auto* before = object_at(budget, "status");
    json::object status = before ? *before : json::object{};
    const auto* least = find_at(budget, "spec.minAvailable");
    const auto* most = find_at(budget, "spec.maxUnavailable");
    const bool by_most = most && !most->is_null();
    std::string orphan;
    auto expected = static_cast<std::int64_t>(pods.size());
    if (by_most || (least && least->is_string())) expected = expected_scale(pods, scale_of, orphan);
    if (!orphan.empty()) {
        set_sync_failed(status, "found no controllers for pod " + quote(orphan), w.now);
        return w.set_status("poddisruptionbudgets.policy", budget, std::move(status));
    }
    const auto share = resolve_share(by_most ? most : least, expected, true);
    const auto desired = by_most ? std::max<std::int64_t>(0, expected - share) : share;
    auto evicted = present_evictions(w, budget, pods);
    const auto healthy = std::count_if(pods.begin(), pods.end(), [&](const pod_digest* p) {
        return p->ready && !p->deleting && !evicted.contains(p->name);
    });
    status["observedGeneration"] = int_at(budget, "metadata.generation");
    if (evicted.empty())
        status.erase("disruptedPods");
    else
        status["disruptedPods"] = std::move(evicted);
    status["disruptionsAllowed"] = expected > 0 ? std::max<std::int64_t>(0, healthy - desired) : 0;
    status["currentHealthy"] = healthy;
    status["desiredHealthy"] = desired;
    status["expectedPods"] = expected;
    set_disruption_allowed(status, w.now);
    w.set_status("poddisruptionbudgets.policy", budget, std::move(status));
}

} // namespace kubecoro::apiserver::live
