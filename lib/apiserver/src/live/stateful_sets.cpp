#include "live/workbench.hpp"
#include "text/json_text.hpp"

#include <map>
#include <set>

namespace kubecoro::apiserver::live {
namespace {

/// Pods of a set that are refused in one turn. The set may go on after one whose name another pod has.
constexpr std::size_t most_refused = 10;

struct pod_counts
{
    std::int64_t pods = 0, ready = 0, updated = 0;
};

/// The claims of a set are volumes of its pods, before others and in place of those of the same name.
void add_claims(json::object& pod_spec, const json::value& set, const std::string& pod_name)
{
    const auto* claims = array_at(set, "spec.volumeClaimTemplates");
    if (!claims || claims->empty()) return;
    json::array volumes;
    std::set<std::string_view> names;
    for (const auto& claim : *claims) {
        const auto name = text_at(claim, "metadata.name");
        names.insert(name);
        volumes.push_back(
            {{"name", name}, {"persistentVolumeClaim", {{"claimName", std::string(name) + "-" + pod_name}}}});
    }
    if (const auto* others = pod_spec.if_contains("volumes"); others && others->is_array())
        for (const auto& volume : others->get_array())
            if (!names.contains(text_at(volume, "name"))) volumes.push_back(volume);
    pod_spec["volumes"] = std::move(volumes);
}

json::value numbered_pod(const json::value& set, const json::value& pod_template, const std::string& name,
                         std::int64_t number, const std::string& revision)
{
    auto pod = pod_of(set, pod_template);
    auto& metadata = object_member(pod.get_object(), "metadata");
    metadata.erase("generateName");
    metadata["name"] = name;
    auto& labels = object_member(metadata, "labels");
    labels["controller-revision-hash"] = revision;
    labels["statefulset.kubernetes.io/pod-name"] = name;
    labels["apps.kubernetes.io/pod-index"] = std::to_string(number);
    auto& spec = object_member(pod.get_object(), "spec");
    spec["hostname"] = name;
    add_claims(spec, set, name);
    return pod;
}

} // namespace

// In order: a pod comes after those before it are ready, and goes after those behind it are gone.
void run_stateful_set(const workbench& w, const json::value& set)
{
    const auto* pod_template = find_at(set, "spec.template");
    if (find_at(set, "metadata.deletionTimestamp") || !pod_template) return;
    const auto ns = text_at(set, "metadata.namespace");
    const std::string base = std::string(text_at(set, "metadata.name")) + "-";
    const auto revision = base + template_hash(*pod_template);
    const bool ordered = text_at(set, "spec.podManagementPolicy") != "Parallel";
    const auto wanted = int_at(set, "spec.replicas", 1);

    std::map<std::string, const pod_digest*> by_name;
    pod_counts have;
    for (const auto* p : w.pods.of(uid_of(set))) {
        by_name.emplace(p->name, p);
        ++have.pods;
        have.ready += p->ready && !p->deleting ? 1 : 0;
        have.updated += p->revision == revision ? 1 : 0;
    }
    bool settled = true; // all that came before is ready
    std::size_t refused = 0;
    for (std::int64_t i = 0; i < wanted && (settled || !ordered); ++i) {
        const auto name = base + std::to_string(i);
        const auto at = by_name.find(name);
        settled = settled && at != by_name.end() && at->second->ready && !at->second->deleting;
        if (at != by_name.end()) continue;
        if (w.writes == 0) {
            w.again(w.now);
            break;
        }
        // The others would be refused as well, until the set changes.
        if (!w.create("pods", ns, numbered_pod(set, *pod_template, name, i, revision)) && ++refused == most_refused)
            break;
    }
    // The last one that is too many, or else the last one of an old template, goes next.
    const auto goes = [&](std::int64_t i) {
        const auto at = by_name.find(base + std::to_string(i));
        if (at == by_name.end()) return false;
        if (!at->second->deleting) w.remove("pods", ns, at->second->name);
        return true;
    };
    bool gone = false;
    for (auto i = wanted + have.pods; i-- > wanted && !gone;) gone = goes(i) && ordered;
    const bool rolls = text_at(set, "spec.updateStrategy.type") != "OnDelete";
    for (auto i = wanted; i-- > 0 && rolls && settled && !gone;) {
        const auto at = by_name.find(base + std::to_string(i));
        if (at != by_name.end() && at->second->revision != revision) gone = goes(i);
    }
    json::object status{{"observedGeneration", int_at(set, "metadata.generation")}, {"replicas", have.pods}};
    if (have.ready > 0) status["readyReplicas"] = have.ready;
    status["availableReplicas"] = have.ready;
    if (have.updated > 0) status["updatedReplicas"] = have.updated;
    if (have.updated == have.pods && have.pods > 0) status["currentReplicas"] = have.pods;
    status["updateRevision"] = revision;
    const auto current = text_at(set, "status.currentRevision");
    status["currentRevision"] = current.empty() || have.updated == have.pods ? std::string_view(revision) : current;
    w.set_status("statefulsets.apps", set, std::move(status));
}

} // namespace kubecoro::apiserver::live
