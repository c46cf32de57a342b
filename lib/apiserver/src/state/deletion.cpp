// Deletion: preconditions, finalizers, grace periods, and the contents of namespaces.
#include "objects/finalizers.hpp"
#include "objects/status_errors.hpp"
#include "state/garbage_collector.hpp"
#include "state/resource_store.hpp"
#include "state/role_aggregator.hpp"
#include "state/service_allocator.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

/// Ten years: small enough to be added to a time without overflow.
constexpr std::int64_t max_grace_seconds = 315'360'000;

status_error precondition(const resource_info& info, const stored_object& object, std::string_view what,
                          std::string_view asked, std::string_view found, std::string_view why)
{
    auto e = errors::conflict(info, object.name);
    e.kind = info.kind;
    e.message = "Operation cannot be fulfilled on " + info.kind_name() + " \"" + object.name + "\": the " +
                std::string(what) + " in the precondition (" + std::string(asked) + ") does not match the " +
                std::string(what) + " in record (" + std::string(found) + "). The object might have been " +
                std::string(why);
    return e;
}

std::optional<status_error> check_preconditions(const resource_info& info, const stored_object& object,
                                                const delete_request& how)
{
    if (how.uid && *how.uid != object.uid)
        return precondition(info, object, "UID", *how.uid, object.uid, "deleted and then recreated");
    const auto version = std::to_string(object.version);
    if (how.resource_version && *how.resource_version != version)
        return precondition(info, object, "ResourceVersion", *how.resource_version, version, "modified");
    return {};
}

/// Whether the specification of a namespace has finalizers that are not of its content.
bool has_foreign_finalizer(const json::value& body)
{
    const auto* list = array_at(body, "spec.finalizers");
    const json::value own(namespace_finalizer);
    return list && std::any_of(list->begin(), list->end(), [&](const json::value& each) { return each != own; });
}

void set_end(json::value& body, std::int64_t grace_seconds, wall_time end)
{
    auto& metadata = object_member(body.get_object(), "metadata");
    metadata["deletionTimestamp"] = format_time(end);
    metadata["deletionGracePeriodSeconds"] = grace_seconds;
}

/// Marks an object as being deleted.
void set_deletion(const resource_info& info, json::value& body, std::int64_t grace_seconds, wall_time now)
{
    set_end(body, grace_seconds, now + std::chrono::seconds{grace_seconds});
    if (info.generation != generation_rule::none)
        object_member(body.get_object(), "metadata")["generation"] = int_at(body, "metadata.generation") + 1;
}

/// The grace period of a pod after a deletion.
struct pod_end
{
    std::int64_t grace = 0;
    /// When the grace period ends; empty: as an earlier deletion has set it.
    std::optional<wall_time> at = {};
    /// Whether this is an earlier deletion, to which this one adds nothing.
    [[nodiscard]] bool is_pending() const noexcept { return !at && grace > 0; }
};

/// A negative number counts as a second, as for a kube-apiserver.
std::int64_t bounded_grace(std::int64_t seconds) { return seconds < 0 ? 1 : std::min(seconds, max_grace_seconds); }

/// The end of a pod that is being deleted already: it may come sooner, and never in the past.
pod_end sooner_end(const json::value& pod, const delete_request& how, wall_time now)
{
    const auto former = bounded_grace(int_at(pod, "metadata.deletionGracePeriodSeconds"));
    const auto wanted = how.grace_seconds ? bounded_grace(*how.grace_seconds) : former;
    wall_time former_end;
    const bool known = parse_time(text_at(pod, "metadata.deletionTimestamp"), former_end);
    if (!known || wanted >= former) return {former};
    const auto end = former_end - std::chrono::seconds{former - wanted};
    if (end >= now) return {wanted, end};
    return {std::min<std::int64_t>(wanted, 1), now};
}

pod_end end_of_pod(const stored_object& current, const json::value& pod, const delete_request& how, wall_time now)
{
    if (current.deleting) return sooner_end(pod, how, now);
    const auto phase = text_at(pod, "status.phase");
    const bool runs = !text_at(pod, "spec.nodeName").empty() && phase != "Failed" && phase != "Succeeded";
    const auto stated = how.grace_seconds.value_or(int_at(pod, "spec.terminationGracePeriodSeconds", 30));
    const auto grace = runs ? bounded_grace(stated) : 0;
    return {grace, now + std::chrono::seconds{grace}};
}

void set_namespace_deletion(json::value& body, wall_time now)
{
    object_member(body.get_object(), "metadata")["deletionTimestamp"] = format_time(now);
    object_member(body.get_object(), "status")["phase"] = "Terminating";
}

void set_end_of_pod(const resource_info& info, const stored_object& current, const pod_end& end, json::value& body,
                    wall_time now)
{
    if (!current.deleting)
        set_deletion(info, body, end.grace, now);
    else if (end.at)
        set_end(body, end.grace, *end.at);
}

/// The result of a deletion, without the deletion.
delete_result preview(const resource_info& info, const stored& current, const delete_request& how, wall_time now)
{
    auto body = to_json(*current);
    const bool swept = info.behaves == builtin::namespace_ || info.behaves == builtin::custom_resource_definition;
    pod_end end;
    if (info.behaves == builtin::pod) end = end_of_pod(*current, body, how, now);
    if (end.is_pending()) return {current, false};
    if (!swept) (void)settle_propagation(info, how, body);
    const bool stays = swept || end.grace > 0 || has_finalizers(body);
    if (info.behaves == builtin::pod)
        set_end_of_pod(info, *current, end, body, now);
    else if (info.behaves == builtin::namespace_ && !current->deleting)
        set_namespace_deletion(body, now);
    else if (stays && !current->deleting)
        set_deletion(info, body, 0, now);
    settle(info, body);
    return {make_stored(info, body, current->version), !stays};
}

} // namespace

stored cluster_state_core::erase(resource_store& store, const stored& last, wall_time now)
{
    auto final = with_version(last, ++*version_);
    auto* const services = allocator_of(store);
    if (services) services->begin();
    store.record({change_type::deleted, *version_, last, final});
    if (services) services->note(last.get(), nullptr);
    if (garbage_) garbage_->note(store, last.get(), nullptr);
    aggregator_->note(store, last->key, nullptr);
    bound_history();
    changed(store);
    if (store.info.behaves == builtin::pod) forget_logs(*final);
    if (store.info.behaves == builtin::event) mirror_event(store, final, true);
    if (!final->ns.empty()) finish_namespace(final->ns, now);
    furnish_again(store, *final, now);
    if (store.info.custom) finish_crd(store.info.display_name(), now);
    if (store.info.behaves == builtin::custom_resource_definition) {
        if (const auto gone = find(final->name); gone && gone->info.custom) {
            gone->close();
            changed(*gone);
            stores_.erase({gone->info.group, gone->info.plural});
            ++discovery_version_;
        }
        waiting_names_.erase(final->name);
        settle_group(std::string_view(final->name).substr(final->name.find('.') + 1), now);
    }
    return final;
}

stored cluster_state_core::mark_deleted(resource_store& store, const stored& current, json::value body,
                                        std::int64_t grace_seconds, wall_time now)
{
    set_deletion(store.info, body, grace_seconds, now);
    return commit(store, current, body);
}

void cluster_state_core::sweep(resource_store& store, const std::vector<stored>& doomed, wall_time now)
{
    for (const auto& object : doomed) {
        const auto body = to_json(*object);
        if (!has_finalizers(body))
            erase(store, object, now);
        else if (!object->deleting || int_at(body, "metadata.deletionGracePeriodSeconds") > 0)
            mark_deleted(store, object, body, 0, now);
    }
}

answer<delete_result> cluster_state_core::remove(const object_address& at, const delete_request& how, wall_time now)
{
    auto& store = *at.store;
    auto current = store.find(storage_key(at.ns, at.name));
    if (!current) return errors::not_found(store.info, at.name);
    if (auto e = check_preconditions(store.info, *current, how)) return *e;
    if (how.dry_run) return preview(store.info, current, how, now);
    if (store.info.behaves == builtin::namespace_) return remove_namespace(store, current, now);
    if (store.info.behaves == builtin::custom_resource_definition) return remove_crd(store, current, now);

    auto body = to_json(*current);
    if (store.info.behaves == builtin::pod) return remove_pod(store, current, std::move(body), how, now);
    const bool changed = settle_propagation(store.info, how, body);
    if (!has_finalizers(body)) return delete_result{erase(store, current, now), true};
    if (!current->deleting) return delete_result{mark_deleted(store, current, std::move(body), 0, now), false};
    return delete_result{changed ? commit(store, current, body) : current, false};
}

answer<delete_result> cluster_state_core::remove_pod(resource_store& store, const stored& current, json::value body,
                                                     const delete_request& how, wall_time now)
{
    const auto end = end_of_pod(*current, body, how, now);
    if (end.is_pending()) return delete_result{current, false};
    (void)settle_propagation(store.info, how, body);
    const bool held = has_finalizers(body);
    set_end_of_pod(store.info, *current, end, body, now);
    const auto marked = to_json(*current) != body ? commit(store, current, body) : current;
    if (end.grace == 0) return held ? delete_result{marked, false} : delete_result{erase(store, marked, now), true};
    if (options_.pod_termination)
        terminating_pods_.emplace(std::min(now + *options_.pod_termination, std::max(now, *end.at)),
                                  std::pair{marked->key, marked->uid});
    return delete_result{marked, false};
}

delete_result cluster_state_core::remove_namespace(resource_store& store, const stored& current, wall_time now)
{
    if (current->deleting) return {current, false};
    auto body = to_json(*current);
    set_namespace_deletion(body, now);
    // Does the work of a cluster's namespace controller: deletes the contents, then the namespace.
    auto marked = commit_with_sweep(store, current, body, {.ns = current->name});
    (void)work_on_sweeps(swept_at_once, now);
    return {marked, false};
}

stored cluster_state_core::commit_with_sweep(resource_store& store, const stored& before, json::value& body,
                                             pending_sweep sweep)
{
    const auto planned = sweeps_.insert(sweeps_.end(), std::move(sweep));
    try {
        return commit(store, before, body);
    } catch (...) {
        if (store.find(before->key) == before) sweeps_.erase(planned); // otherwise it failed after the mark
        throw;
    }
}

bool cluster_state_core::work_on_sweeps(std::size_t steps, wall_time now)
{
    for (; steps > 0 && !sweeps_.empty(); --steps) {
        if (sweep_next(sweeps_.front(), now)) continue;
        const auto& done = sweeps_.front();
        if (done.ns.empty())
            finish_crd(done.resource.second + "." + done.resource.first, now);
        else
            finish_namespace(done.ns, now);
        sweeps_.pop_front(); // last: a failure is tried again
    }
    return !sweeps_.empty();
}

bool cluster_state_core::sweep_next(pending_sweep& s, wall_time now)
{
    const auto [first, last] = key_range(s.ns);
    for (auto at = stores_.lower_bound(s.resource); at != stores_.end(); ++at) {
        const auto [resource, store] = *at; // copies: the resource goes with its last object
        if (s.ns.empty() && resource != s.resource) return false;
        if (!s.ns.empty() && !store->info.namespaced) continue;
        const auto& objects = store->objects();
        const auto next =
            resource == s.resource && !s.after.empty() ? objects.upper_bound(s.after) : objects.lower_bound(first);
        if (next == objects.end() || next->first >= last) continue;
        const auto doomed = next->second;
        sweep(*store, {doomed}, now);
        s.resource = resource;
        s.after = doomed->key;
        return true;
    }
    return false;
}

void cluster_state_core::finish_namespace(std::string_view name, wall_time now)
{
    const auto namespaces = find("", "namespaces");
    const auto object = namespaces->find(storage_key("", name));
    if (!object || !object->deleting) return;
    const auto [first, last] = key_range(name);
    for (const auto& [key, each] : stores_) {
        if (!each->info.namespaced) continue;
        const auto it = each->objects().lower_bound(first);
        if (it != each->objects().end() && it->first < last) return;
    }
    const auto body = to_json(*object);
    if (!has_finalizers(body) && !has_foreign_finalizer(body)) erase(*namespaces, object, now);
}

} // namespace kubecoro::apiserver
