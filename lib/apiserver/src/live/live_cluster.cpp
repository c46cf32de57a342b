#include "live/live_cluster.hpp"

#include "live/plans.hpp"
#include "live/workbench.hpp"
#include "objects/conditions.hpp"
#include "state/disruption_budgets.hpp"
#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver::live {
namespace {

/// The writes and the runs of controllers in one call of tick(): some milliseconds.
constexpr std::size_t writes_a_turn = 100;
constexpr std::size_t runs_a_turn = 100;
/// Pods that a disruption budget examines in the time of a write.
constexpr std::size_t pods_a_write = 100;

constexpr std::string_view names[]{"nodes",
                                   "pods",
                                   "replicasets.apps",
                                   "jobs.batch",
                                   "daemonsets.apps",
                                   "statefulsets.apps",
                                   "deployments.apps",
                                   "poddisruptionbudgets.policy"};

} // namespace

live_cluster::live_cluster(cluster_state_core& state, std::size_t nodes, wall_time now)
    : state_(state), nodes_to_create_(nodes)
{
    for (unsigned k = 0; k < kinds; ++k) stores_[k] = state.find(names[k]);
    restored(now);
}

void live_cluster::restored(wall_time now)
{
    make_nodes(now);
    start_over();
}

void live_cluster::make_nodes(wall_time now)
{
    if (!stores_[node]->objects().empty()) return;
    for (std::size_t i = 1; i <= nodes_to_create_; ++i) {
        const std::string name = "node-" + std::to_string(i);
        json::object status{{"capacity", {{"cpu", "8"}, {"memory", "32Gi"}, {"pods", "110"}}},
                            {"allocatable", {{"cpu", "8"}, {"memory", "32Gi"}, {"pods", "110"}}},
                            {"addresses", json::array{{{"type", "Hostname"}, {"address", std::string_view(name)}}}}};
        set_condition(status, {"Ready", true, "KubeletReady", "kubelet is posting ready status"}, now);
        const json::object labels{
            {"kubernetes.io/hostname", name}, {"kubernetes.io/os", "linux"}, {"kubernetes.io/arch", "amd64"}};
        (void)state_.create({stores_[node], "v1"},
                            json::object{{"metadata", {{"name", std::string_view(name)}, {"labels", labels}}},
                                         {"status", std::move(status)}},
                            {.keep_status = true}, now);
    }
}

void live_cluster::start_over()
{
    stale_ = true; // until all of it has been noted
    pods_.clear();
    nodes_.clear();
    by_uid_.clear();
    sets_.clear();
    ready_.clear();
    failed_.clear();
    alarms_.clear();
    alarms_in_order_.clear();
    for (unsigned k = 0; k < kinds; ++k) next_[k] = stores_[k]->end_sequence();
    for (unsigned k = 0; k < kinds; ++k)
        for (const auto& [key, object] : stores_[k]->objects()) note(static_cast<kind>(k), *object, false);
    stale_ = false;
}

void live_cluster::follow()
{
    if (stale_) return start_over();
    for (unsigned k = 0; k < kinds; ++k)
        if (next_[k] < stores_[k]->first_sequence()) return start_over(); // the history is shorter than what happened
    stale_ = true;                                                        // a change that was noted in part only
    for (unsigned k = 0; k < kinds; ++k)
        for (; next_[k] < stores_[k]->end_sequence(); ++next_[k]) {
            const auto& change = stores_[k]->at(next_[k]);
            if (k == pod && change.before && change.before->labels != change.object->labels)
                wake_budgets(*change.before);
            note(static_cast<kind>(k), *change.object, change.type == change_type::deleted);
        }
    stale_ = false;
}

void live_cluster::wake_owner(const std::string& uid)
{
    if (const auto owner = by_uid_.find(uid); owner != by_uid_.end()) ready_.insert(owner->second);
}

void live_cluster::note(kind what, const stored_object& object, bool gone)
{
    if (what == pod) return note_pod(object, gone);
    const item self{what, object.key};
    if (what == node) {
        if (gone)
            nodes_.erase(object.key);
        else
            nodes_.insert_or_assign(object.key, node_digest_of(object));
        note_nodes();
        if (!gone) ready_.insert(self);
        return;
    }
    if (gone) {
        by_uid_.erase(object.uid);
        ready_.erase(self);
    } else {
        by_uid_.insert_or_assign(object.uid, self);
        ready_.insert(self);
    }
    if (what != replica_set) return;
    for (const auto& owner : object.owners) {
        if (gone)
            sets_[owner.uid].erase(object.key);
        else
            sets_[owner.uid].insert(object.key);
        if (sets_[owner.uid].empty()) sets_.erase(owner.uid);
        wake_owner(owner.uid);
    }
}

void live_cluster::wake_budgets(const stored_object& changed)
{
    for (const auto& each : state_.budgets().of(changed)) ready_.insert({budget, each->key});
}

void live_cluster::wake_set_of_name(const std::string& pod_key)
{
    const item set{stateful_set, pod_key.substr(0, pod_key.rfind('-'))};
    if (stores_[stateful_set]->objects().contains(set.key)) ready_.insert(set);
}

void live_cluster::note_pod(const stored_object& object, bool gone)
{
    const item self{pod, object.key};
    wake_budgets(object);
    if (gone) {
        wake_owner(pods_.erase(object.key));
        wake_set_of_name(object.key);
        ready_.erase(self);
        return;
    }
    auto digest = digest_of(to_json(object));
    const auto owner = digest.owner;
    wake_owner(pods_.put(object.key, std::move(digest)));
    wake_owner(owner);
    ready_.insert(self);
}

void live_cluster::note_nodes()
{
    for (const auto& key : pods_.unbound()) ready_.insert({pod, key});
    for (const auto& [uid, each] : by_uid_)
        if (each.what == daemon_set) ready_.insert(each);
}

void live_cluster::set_alarm(const item& of, wall_time when)
{
    if (const auto at = alarms_.find(of); at != alarms_.end()) {
        if (at->second <= when) return;
        alarms_in_order_.erase({at->second, of});
    }
    alarms_.insert_or_assign(of, when);
    alarms_in_order_.emplace(when, of);
}

void live_cluster::take_due(wall_time now)
{
    while (!alarms_in_order_.empty() && alarms_in_order_.begin()->first <= now) {
        const auto due = alarms_in_order_.begin();
        ready_.insert(due->second);
        alarms_.erase(due->second);
        alarms_in_order_.erase(due);
    }
}

void live_cluster::run_next(wall_time now)
{
    auto first = ready_.extract(ready_.begin());
    try {
        run(first.value(), now);
    } catch (...) {
        failure_ = std::current_exception();
        failed_.insert(std::move(first)); // without an allocation
    }
}

void live_cluster::plan_retry(wall_time now)
{
    if (failure_) {
        retry_at_ = now + retry_after_;
        retry_after_ = std::min(2 * retry_after_, longest_retry);
    } else if (failed_.empty()) {
        retry_after_ = shortest_retry;
    }
}

std::optional<wall_time> live_cluster::tick(wall_time now)
{
    failure_ = nullptr;
    follow();
    if (now < last_tick_) { // the calendar was put back: what waits for a time looks again
        take_due(wall_time::max());
        retry_at_ = now;
    }
    last_tick_ = now;
    take_due(now);
    if (now >= retry_at_) ready_.merge(failed_);
    writes_ = writes_a_turn;
    for (std::size_t runs = runs_a_turn; runs > 0 && writes_ > 0 && !ready_.empty(); --runs) {
        run_next(now);
        follow();
    }
    plan_retry(now);
    const auto version = state_.resource_version();
    auto next = state_.tick(now);
    if (!ready_.empty() || state_.resource_version() != version) return now;
    const auto consider = [&](wall_time when) {
        if (!next || when < *next) next = when;
    };
    if (!alarms_in_order_.empty()) consider(alarms_in_order_.begin()->first);
    if (!failed_.empty()) consider(retry_at_);
    return next;
}

void live_cluster::run(const item& i, wall_time now)
{
    const auto object = stores_[i.what]->find(i.key);
    if (!object) return;
    const auto body = to_json(*object);
    const workbench w{state_, pods_, now, writes_, [&](wall_time when) { set_alarm(i, when); }};
    if (i.what == node) run_node(w, body);
    if (i.what == pod) run_pod(w, body);
    if (i.what == replica_set) run_replica_set(w, body);
    if (i.what == job) run_job(w, body);
    if (i.what == daemon_set) {
        const auto* spec = find_at(body, "spec.template.spec");
        run_daemon_set(w, body, nodes_for_daemons(spec && spec->is_object() ? *spec : json::object{}, nodes_));
    }
    if (i.what == stateful_set) run_stateful_set(w, body);
    if (i.what == deployment) run_deployment(w, body, sets_of(object->uid));
    if (i.what == budget) run_budget(w, body);
}

void live_cluster::run_budget(const workbench& w, const json::value& body)
{
    std::vector<const pod_digest*> selected;
    std::size_t examined = 0;
    const auto selector = pods_selected_by(body);
    const auto [first, last] = key_range(text_at(body, "metadata.namespace"));
    const auto& all = stores_[pod]->objects();
    for (auto at = all.lower_bound(first); selector && at != all.end() && at->first < last; ++at, ++examined)
        if (const auto* known = selector->matches(*at->second) ? pods_.find(at->first) : nullptr)
            selected.push_back(known);
    run_disruption_budget(w, body, selected, [&](const std::string& uid) { return scale_of(uid); });
    // Many budgets of many pods take more than one turn.
    writes_ -= std::min(writes_, examined / pods_a_write);
}

std::optional<std::pair<std::string, std::int64_t>> live_cluster::scale_of(const std::string& uid) const
{
    auto known = by_uid_.find(uid);
    const auto is = [&](kind what) { return known != by_uid_.end() && known->second.what == what; };
    if (!is(replica_set) && !is(stateful_set)) return {};
    const auto set = stores_[known->second.what]->find(known->second.key);
    if (!set) return {};
    auto body = to_json(*set);
    // The scale of a replica set of a deployment is the deployment's.
    if (const auto* controller = is(replica_set) ? controller_of(body) : nullptr) {
        known = by_uid_.find(std::string(text_at(*controller, "uid")));
        const auto deploys = is(deployment) ? stores_[deployment]->find(known->second.key) : nullptr;
        if (deploys) body = to_json(*deploys);
    }
    return std::pair{uid_of(body), int_at(body, "spec.replicas", 1)};
}

void live_cluster::run_pod(const workbench& w, const json::value& body)
{
    if (find_at(body, "metadata.deletionTimestamp")) return;
    if (text_at(body, "spec.nodeName").empty()) {
        auto next = body;
        auto& status = object_member(next.get_object(), "status");
        const auto refuse = [&](std::string_view reason, std::string_view why) {
            set_condition(status, {"PodScheduled", false, reason, why}, w.now);
            w.set_status("pods", body, status);
        };
        if (const auto* gates = array_at(body, "spec.schedulingGates"); gates && !gates->empty())
            return refuse("SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates");
        const auto [nodes, problem] = nodes_for_pod(body.at("spec"), nodes_);
        if (nodes.empty()) return refuse("Unschedulable", problem);
        set_condition(status, {"PodScheduled"}, w.now);
        object_member(next.get_object(), "spec")["nodeName"] = nodes[bindings_++ % nodes.size()];
        return w.update("pods", std::move(next), "binding");
    }
    auto step = next_step(body, addresses_ + 1, w.now);
    if (step.when) w.again(*step.when);
    if (!step.status) return;
    ++addresses_;
    w.set_status("pods", body, std::move(step.status->get_object()));
}

std::vector<json::value> live_cluster::sets_of(const std::string& uid) const
{
    std::vector<json::value> out;
    if (const auto owned = sets_.find(uid); owned != sets_.end())
        for (const auto& key : owned->second)
            if (const auto set = stores_[replica_set]->find(key)) out.push_back(to_json(*set));
    return out;
}

} // namespace kubecoro::apiserver::live
