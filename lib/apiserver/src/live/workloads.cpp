// The controllers of DaemonSets, Jobs and StatefulSets.
#include "live/plans.hpp"
#include "live/workbench.hpp"
#include "objects/conditions.hpp"
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

namespace {

job_state state_of(const json::value& job, const std::vector<const pod_digest*>& pods)
{
    job_state s;
    s.parallelism = int_at(job, "spec.parallelism", 1);
    s.completions.reset();
    if (const auto* n = find_at(job, "spec.completions"); n && n->is_int64()) s.completions = n->get_int64();
    s.backoff_limit = int_at(job, "spec.backoffLimit", 6);
    const auto* suspend = find_at(job, "spec.suspend");
    s.suspended = suspend && suspend->is_bool() && suspend->get_bool();
    for (const auto* p : pods) {
        s.active += p->active() ? 1 : 0;
        s.succeeded += p->in == phase::succeeded ? 1 : 0;
        s.failed += p->in == phase::failed ? 1 : 0;
    }
    return s;
}

void set_outcome(json::object& status, job_outcome outcome, wall_time now)
{
    if (outcome == job_outcome::complete) {
        for (const std::string_view type : {"SuccessCriteriaMet", "Complete"})
            set_condition(status, {type, true, "CompletionsReached", "Reached expected number of succeeded pods"}, now);
        status["completionTime"] = format_time(now);
    } else if (outcome == job_outcome::failed) {
        for (const std::string_view type : {"FailureTarget", "Failed"})
            set_condition(status, {type, true, "BackoffLimitExceeded", "Job has reached the specified backoff limit"},
                          now);
    }
}

void set_count(json::object& status, std::string_view member, std::int64_t n)
{
    if (n > 0)
        status[member] = n;
    else
        status.erase(member);
}

} // namespace

void run_job(const workbench& w, const json::value& job)
{
    if (find_at(job, "metadata.deletionTimestamp")) return;
    const bool over = has_condition(job, "Complete") || has_condition(job, "Failed");
    const auto* pod_template = find_at(job, "spec.template");
    if (over || !pod_template) return;
    const auto pods = w.pods.of(uid_of(job));
    const auto state = state_of(job, pods);
    const auto plan = plan_job(state);
    w.create_pods(plan.create, job, [&] { return pod_of(job, *pod_template); });
    std::vector<std::string> doomed;
    for (const auto* p : pods)
        if (p->active() && static_cast<std::int64_t>(doomed.size()) < plan.remove) doomed.push_back(p->name);
    w.remove_pods(text_at(job, "metadata.namespace"), doomed);

    const auto* before = object_at(job, "status");
    json::object status = before ? *before : json::object{};
    if (!status.contains("startTime") && !state.suspended) status["startTime"] = format_time(w.now);
    const bool ends = plan.outcome != job_outcome::running;
    set_count(status, "active", ends ? 0 : state.active);
    set_count(status, "succeeded", state.succeeded);
    set_count(status, "failed", state.failed);
    status["ready"] = std::count_if(pods.begin(), pods.end(), [](const auto* p) { return p->active() && p->ready; });
    set_outcome(status, plan.outcome, w.now);
    w.set_status("jobs.batch", job, std::move(status));
}

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
