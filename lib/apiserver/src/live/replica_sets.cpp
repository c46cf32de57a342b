#include "live/plans.hpp"
#include "live/workbench.hpp"
#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver::live {

void run_replica_set(const workbench& w, const json::value& set)
{
    const auto pods = w.pods.of(uid_of(set));
    const auto* pod_template = find_at(set, "spec.template");
    if (!find_at(set, "metadata.deletionTimestamp") && pod_template) {
        const auto plan = plan_set(int_at(set, "spec.replicas", 1), pods);
        w.create_pods(plan.create, set, [&] { return pod_of(set, *pod_template); });
        w.remove_pods(text_at(set, "metadata.namespace"), plan.remove);
    }
    const auto active = std::count_if(pods.begin(), pods.end(), [](const auto* p) { return p->active(); });
    const auto ready = std::count_if(pods.begin(), pods.end(), [](const auto* p) { return p->active() && p->ready; });
    json::object status{{"replicas", active}};
    if (active > 0) status["fullyLabeledReplicas"] = active;
    for (const std::string_view member : {"readyReplicas", "availableReplicas"})
        if (ready > 0) status[member] = ready;
    status["observedGeneration"] = int_at(set, "metadata.generation");
    w.set_status("replicasets.apps", set, std::move(status));
}

} // namespace kubecoro::apiserver::live
