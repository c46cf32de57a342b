#include "live/plans.hpp"
#include "live/workbench.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace kubecoro::apiserver::live {

void run_daemon_set(const workbench& w, const json::value& set, const daemon_scheduling& fit)
{
    const auto* pod_template = find_at(set, "spec.template");
    if (find_at(set, "metadata.deletionTimestamp") || !pod_template) return;
    const auto ns = text_at(set, "metadata.namespace");
    const auto revision = template_hash(*pod_template);
    const auto& nodes = fit.wanted;
    const std::set<std::string_view> wanted_on(nodes.begin(), nodes.end()), kept_on(fit.kept.begin(), fit.kept.end());
    std::map<std::string, const pod_digest*> on;
    std::vector<std::string> doomed;
    for (const auto* p : w.pods.of(uid_of(set))) {
        if (p->deleting) continue;
        if (!kept_on.contains(p->node) || !p->active() || !on.emplace(p->node, p).second) doomed.push_back(p->name);
    }
    const auto misplaced =
        std::count_if(on.begin(), on.end(), [&](const auto& each) { return !wanted_on.contains(each.first); });
    std::int64_t updated = 0, ready = 0;
    const pod_digest* outdated = nullptr;
    bool refused = false; // as all others would be, until the next change of the set
    for (const auto& node : nodes) {
        const auto at = on.find(node);
        if (at == on.end()) {
            if (!refused && w.writes == 0) w.again(w.now);
            if (refused || w.writes == 0) continue;
            auto pod = pod_of(set, *pod_template);
            auto& spec = object_member(pod.get_object(), "spec");
            add_daemon_tolerations(spec);
            spec["nodeName"] = node;
            object_member(object_member(pod.get_object(), "metadata"), "labels")["controller-revision-hash"] = revision;
            refused = !w.create("pods", ns, std::move(pod));
            continue;
        }
        if (at->second->revision == revision)
            ++updated;
        else if (!outdated)
            outdated = at->second;
        ready += at->second->ready ? 1 : 0;
    }
    // One pod at a time is replaced, and none while another is not ready.
    const auto wanted = static_cast<std::int64_t>(nodes.size());
    const bool rolls = text_at(set, "spec.updateStrategy.type") != "OnDelete";
    if (outdated && rolls && (ready == wanted || !outdated->ready)) doomed.push_back(outdated->name);
    w.remove_pods(ns, doomed);

    json::object status{{"currentNumberScheduled", static_cast<std::int64_t>(on.size()) - misplaced},
                        {"numberMisscheduled", misplaced},
                        {"desiredNumberScheduled", wanted},
                        {"numberReady", ready},
                        {"observedGeneration", int_at(set, "metadata.generation")}};
    if (updated > 0) status["updatedNumberScheduled"] = updated;
    if (ready > 0) status["numberAvailable"] = ready;
    if (ready < wanted) status["numberUnavailable"] = wanted - ready;
    w.set_status("daemonsets.apps", set, std::move(status));
}

} // namespace kubecoro::apiserver::live
