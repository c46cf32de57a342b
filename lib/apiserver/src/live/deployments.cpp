// The controllers of ReplicaSets and Deployments.
#include "live/plans.hpp"
#include "live/workbench.hpp"
#include "objects/conditions.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <charconv>

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

namespace {

constexpr std::string_view sets_resource = "replicasets.apps";
constexpr std::string_view revision_annotation = "deployment.kubernetes.io/revision";
constexpr std::string_view hash_label = "pod-template-hash";

std::string_view annotation(const json::value& body, std::string_view key)
{
    const auto* all = object_at(body, "metadata.annotations");
    const auto* found = all ? all->if_contains(key) : nullptr;
    return found && found->is_string() ? std::string_view(found->get_string()) : std::string_view{};
}

std::int64_t revision_of(const json::value& body)
{
    const auto text = annotation(body, revision_annotation);
    std::int64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

void annotate(json::value& body, std::string_view key, std::string_view value)
{
    object_member(object_member(body.get_object(), "metadata"), "annotations")[key] = value;
}

json::value new_set(const json::value& deployment, const std::string& hash)
{
    json::value pod_template = *find_at(deployment, "spec.template");
    auto& template_labels = object_member(object_member(pod_template.get_object(), "metadata"), "labels");
    template_labels[hash_label] = hash;
    const auto* selector = find_at(deployment, "spec.selector");
    json::value chosen = selector ? *selector : json::value(json::object{});
    object_member(chosen.get_object(), "matchLabels")[hash_label] = hash;
    json::object metadata{{"name", std::string(text_at(deployment, "metadata.name")) + "-" + hash},
                          {"labels", template_labels},
                          {"ownerReferences", json::array{owner_reference(deployment)}}};
    return {{"metadata", std::move(metadata)},
            {"spec", {{"replicas", 0}, {"selector", std::move(chosen)}, {"template", std::move(pod_template)}}}};
}

bool flag(const json::value& body, std::string_view path)
{
    const auto* found = find_at(body, path);
    return found && found->is_bool() && found->get_bool();
}

rollout_set numbers_of(const workbench& w, const json::value& set)
{
    return {int_at(set, "spec.replicas"), int_at(set, "status.availableReplicas"),
            static_cast<std::int64_t>(w.pods.of(uid_of(set)).size())};
}

/// The deployment's sets: the present one, if there is one, and the old ones by revision.
struct family
{
    const json::value* current = nullptr;
    std::vector<const json::value*> old = {};
    std::int64_t last_revision = 0;
};

family family_of(const std::vector<json::value>& sets, std::string_view hash)
{
    family out;
    for (const auto& set : sets) {
        out.last_revision = std::max(out.last_revision, revision_of(set));
        if (text_at(set, "metadata.labels." + std::string(hash_label)) == hash)
            out.current = &set;
        else
            out.old.push_back(&set);
    }
    std::sort(out.old.begin(), out.old.end(),
              [](const auto* a, const auto* b) { return revision_of(*a) < revision_of(*b); });
    return out;
}

rollout rollout_of(const workbench& w, const json::value& deployment, const family& sets)
{
    rollout r;
    r.wanted = int_at(deployment, "spec.replicas", 1);
    r.recreate = text_at(deployment, "spec.strategy.type") == "Recreate";
    r.max_surge = resolve_share(find_at(deployment, "spec.strategy.rollingUpdate.maxSurge"), r.wanted, true);
    r.max_unavailable =
        resolve_share(find_at(deployment, "spec.strategy.rollingUpdate.maxUnavailable"), r.wanted, false);
    if (r.max_surge == 0 && r.max_unavailable == 0) r.max_unavailable = 1;
    r.current = numbers_of(w, *sets.current);
    for (const auto* set : sets.old) r.old.push_back(numbers_of(w, *set));
    return r;
}

void scale(const workbench& w, const json::value& set, std::int64_t replicas)
{
    if (int_at(set, "spec.replicas") == replicas) return;
    auto body = set;
    object_member(body.get_object(), "spec")["replicas"] = replicas;
    w.update(sets_resource, std::move(body));
}

void forget_old_sets(const workbench& w, const json::value& deployment, const family& sets)
{
    const auto limit = std::max<std::int64_t>(int_at(deployment, "spec.revisionHistoryLimit", 10), 0);
    auto spare = static_cast<std::int64_t>(sets.old.size()) - limit;
    for (const auto* set : sets.old) {
        if (spare <= 0) return;
        if (int_at(*set, "spec.replicas") != 0 || int_at(*set, "status.replicas") != 0) continue;
        w.remove(sets_resource, text_at(*set, "metadata.namespace"), text_at(*set, "metadata.name"));
        --spare;
    }
}

struct totals
{
    std::int64_t wanted = 0, stated = 0, replicas = 0, updated = 0, ready = 0, available = 0;
};

totals totals_of(const json::value& deployment, const std::vector<json::value>& sets, const json::value* current)
{
    totals t;
    t.wanted = int_at(deployment, "spec.replicas", 1);
    for (const auto& set : sets) {
        t.stated += int_at(set, "spec.replicas");
        t.replicas += int_at(set, "status.replicas");
        t.ready += int_at(set, "status.readyReplicas");
        t.available += int_at(set, "status.availableReplicas");
    }
    if (current) t.updated = int_at(*current, "status.replicas");
    return t;
}

void put_number(json::object& status, std::string_view member, std::int64_t n)
{
    if (n > 0)
        status[member] = n;
    else
        status.erase(member);
}

/// The condition Progressing: whether the rollout has ended, goes on, or takes too long.
void set_progress(const workbench& w, const json::value& deployment, json::object& status, const totals& t)
{
    const bool complete = t.updated == t.wanted && t.replicas == t.wanted && t.available == t.wanted;
    const std::string about = "ReplicaSet of Deployment \"" + std::string(text_at(deployment, "metadata.name")) + "\" ";
    if (complete)
        return set_condition(
            status, {"Progressing", true, "NewReplicaSetAvailable", about + "has successfully progressed.", true},
            w.now);
    const auto* before = find_condition(deployment, "Progressing");
    const bool moved = int_at(deployment, "status.updatedReplicas") != t.updated ||
                       int_at(deployment, "status.replicas") != t.replicas ||
                       int_at(deployment, "status.availableReplicas") < t.available ||
                       int_at(deployment, "status.observedGeneration") != int_at(deployment, "metadata.generation");
    if (!before || moved) {
        erase_condition(status, "Progressing"); // its time is that of the last progress
        set_condition(status, {"Progressing", true, "ReplicaSetUpdated", about + "is progressing.", true}, w.now);
        before = nullptr;
    }
    wall_time last = w.now;
    if (before) parse_time(text_at(*before, "lastUpdateTime"), last);
    const auto deadline = last + std::chrono::seconds{int_at(deployment, "spec.progressDeadlineSeconds", 600)};
    if (w.now < deadline) return w.again(deadline);
    set_condition(
        status, {"Progressing", false, "ProgressDeadlineExceeded", about + "has timed out progressing.", true}, w.now);
}

json::object status_of(const workbench& w, const json::value& deployment, const totals& t)
{
    const auto* before = object_at(deployment, "status");
    json::object status = before ? *before : json::object{};
    status["observedGeneration"] = int_at(deployment, "metadata.generation");
    put_number(status, "replicas", t.replicas);
    put_number(status, "updatedReplicas", t.updated);
    put_number(status, "readyReplicas", t.ready);
    put_number(status, "availableReplicas", t.available);
    put_number(status, "unavailableReplicas", t.stated - t.available);
    const auto spare =
        resolve_share(find_at(deployment, "spec.strategy.rollingUpdate.maxUnavailable"), t.wanted, false);
    const bool enough = t.available >= t.wanted - spare;
    set_condition(status,
                  {"Available", enough, enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                   enough ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
                   true},
                  w.now);
    if (flag(deployment, "spec.paused")) return status;
    set_progress(w, deployment, status, t);
    return status;
}

/// @return whether the set has the deployment's present revision; otherwise it gets it, and the controller runs again.
bool settle_revision(const workbench& w, const json::value& current, const family& sets)
{
    const auto own = revision_of(current);
    std::int64_t highest = 0;
    for (const auto* set : sets.old) highest = std::max(highest, revision_of(*set));
    if (own > highest) return true;
    auto body = current;
    annotate(body, revision_annotation, std::to_string(sets.last_revision + 1));
    w.update(sets_resource, std::move(body));
    return false;
}

} // namespace

void run_deployment(const workbench& w, const json::value& deployment, std::vector<json::value> sets)
{
    const auto* pod_template = find_at(deployment, "spec.template");
    if (find_at(deployment, "metadata.deletionTimestamp") || !pod_template) return;
    const bool paused = flag(deployment, "spec.paused");
    const auto hash = template_hash(*pod_template);
    const auto relatives = family_of(sets, hash);
    if (!relatives.current && !paused) {
        auto made = new_set(deployment, hash);
        annotate(made, revision_annotation, std::to_string(relatives.last_revision + 1));
        const bool created = w.create(sets_resource, text_at(deployment, "metadata.namespace"), std::move(made));
        if (!created && w.writes == 0) w.again(w.now); // a set that is refused waits for the deployment's next change
    } else if (relatives.current && settle_revision(w, *relatives.current, relatives)) {
        const auto plan = plan_rollout(rollout_of(w, deployment, relatives));
        if (!paused) {
            scale(w, *relatives.current, plan.current);
            for (std::size_t i = 0; i < plan.old.size(); ++i) scale(w, *relatives.old[i], plan.old[i]);
        } else if (relatives.old.empty()) {
            scale(w, *relatives.current, int_at(deployment, "spec.replicas", 1));
        }
        forget_old_sets(w, deployment, relatives);
    }
    auto body = deployment;
    const auto revision = relatives.current ? annotation(*relatives.current, revision_annotation) : std::string_view{};
    auto status = status_of(w, deployment, totals_of(deployment, sets, relatives.current));
    if (!revision.empty() && annotation(deployment, revision_annotation) != revision) {
        annotate(body, revision_annotation, revision);
        body.get_object()["status"] = std::move(status);
        return w.update("deployments.apps", std::move(body), "status");
    }
    w.set_status("deployments.apps", std::move(body), std::move(status));
}

} // namespace kubecoro::apiserver::live
