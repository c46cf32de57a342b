#include "state/garbage_collector.hpp"

#include "objects/finalizers.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/resource.hpp>

namespace kubecoro::apiserver {
namespace {

/// The resource and the key of an object in one text: "pods/default/web". Keys begin with the slash.
std::string place_of(const resource_info& info, const stored_object& object)
{
    // The two forms of an event are one object.
    return (info.behaves == builtin::event ? info.plural : info.display_name()) + object.key;
}

} // namespace

void dependents::replace(const std::string& place, const stored_object* before, const stored_object* after)
{
    if (before) remove(place, *before);
    if (after) add(place, *after);
}

void dependents::add(const std::string& place, const stored_object& object)
{
    for (const auto& owner : object.owners) {
        auto& owned = by_owner_[owner.uid];
        owned.places.insert(place);
        owned.blocking += owner.blocks ? 1 : 0;
        owned.waiting += object.deletes_dependents ? 1 : 0;
    }
}

void dependents::remove(const std::string& place, const stored_object& object)
{
    for (const auto& owner : object.owners) {
        const auto at = by_owner_.find(owner.uid);
        if (at == by_owner_.end() || at->second.places.erase(place) == 0) continue;
        at->second.blocking -= owner.blocks ? 1 : 0;
        at->second.waiting -= object.deletes_dependents ? 1 : 0;
        if (at->second.places.empty()) by_owner_.erase(at);
    }
}

const dependents::owned_by* dependents::find(std::string_view owner_uid) const
{
    const auto at = by_owner_.find(owner_uid);
    return at == by_owner_.end() ? nullptr : &at->second;
}

std::size_t dependents::blocking(std::string_view owner_uid) const
{
    const auto* owned = find(owner_uid);
    return owned ? owned->blocking : 0;
}

bool dependents::any_waits(std::string_view owner_uid) const
{
    const auto* owned = find(owner_uid);
    return owned && owned->waiting > 0;
}

std::optional<std::string> dependents::next(std::string_view owner_uid, std::string_view after) const
{
    const auto* owned = find(owner_uid);
    if (!owned) return {};
    const auto at = owned->places.upper_bound(after);
    if (at == owned->places.end()) return {};
    return *at;
}

namespace {

/// An object is parsed to be examined, and a client chooses how large it is: some milliseconds.
constexpr std::size_t most_examined_bytes = 1u << 20;

} // namespace

void garbage_collector::note(const resource_store& store, const stored_object* before, const stored_object* after)
{
    const auto& object = after ? *after : *before;
    const auto place = place_of(store.info, object);
    index_.replace(place, before, after);
    if (before) note_waiting_owners(*before);
    if (!after) {
        waiting_.erase(before->uid);
        if (index_.any(before->uid)) entries_.push_back({task::owner_gone, before->uid});
        return;
    }
    if (!after->owners.empty() && (!before || before->owners != after->owners))
        entries_.push_back({task::examine, place});
    if (after->orphans_dependents && !(before && before->orphans_dependents)) entries_.push_back({task::orphan, place});
    if (after->deletes_dependents && !(before && before->deletes_dependents)) {
        waiting_.emplace(after->uid, place);
        entries_.push_back({task::dependents_first, place});
    }
}

void garbage_collector::note_waiting_owners(const stored_object& object)
{
    for (const auto& owner : object.owners) {
        const auto waits = waiting_.find(owner.uid);
        if (waits != waiting_.end() && index_.blocking(owner.uid) == 0)
            entries_.push_back({task::finish, waits->second});
    }
}

void garbage_collector::clear()
{
    index_.clear();
    waiting_.clear();
    entries_.clear();
}

bool garbage_collector::work(std::size_t steps, wall_time now)
{
    examined_bytes_ = 0;
    for (; steps > 0 && !entries_.empty(); --steps) {
        std::list<entry> first;
        first.splice(first.end(), entries_, entries_.begin());
        try {
            if (!step(first.front(), now)) entries_.splice(entries_.begin(), first);
        } catch (...) {
            entries_.splice(entries_.end(), first); // behind the others, which may succeed
            throw;
        }
        if (examined_bytes_ > most_examined_bytes) break;
    }
    return !entries_.empty();
}

bool garbage_collector::step(entry& e, wall_time now)
{
    if (e.kind == task::examine) {
        examine(e.what, {}, now);
        return true;
    }
    if (e.kind == task::finish) {
        const auto owner = find(e.what);
        if (owner.object && owner.object->deletes_dependents && index_.blocking(owner.object->uid) == 0)
            drop_finalizer(owner, foreground_finalizer, now);
        return true;
    }
    return next_dependent(e, now);
}

bool garbage_collector::next_dependent(entry& e, wall_time now)
{
    if (e.kind == task::owner_gone) {
        auto place = index_.next(e.what, e.after);
        if (!place) return true;
        examine(*place, e.what, now);
        e.after = std::move(*place);
        return false;
    }
    const auto owner = find(e.what);
    if (!owner.object) return true;
    const bool orphans = e.kind == task::orphan;
    if (!(orphans ? owner.object->orphans_dependents : owner.object->deletes_dependents)) return true;
    auto place = index_.next(owner.object->uid, e.after);
    if (!place) {
        if (orphans) drop_finalizer(owner, orphan_finalizer, now);
        if (!orphans && index_.blocking(owner.object->uid) == 0) drop_finalizer(owner, foreground_finalizer, now);
        return true;
    }
    if (orphans)
        drop_owners(find(*place), {owner.object->uid});
    else
        examine(*place, {}, now);
    e.after = std::move(*place);
    return false;
}

garbage_collector::found garbage_collector::find(std::string_view place) const
{
    const auto slash = place.find('/');
    found out{state_.find(place.substr(0, slash)), nullptr};
    if (out.store) out.object = out.store->find(place.substr(slash));
    return out;
}

std::shared_ptr<resource_store> garbage_collector::store_of(std::string_view api_version, std::string_view kind) const
{
    const auto group = group_version::parse(api_version).group;
    for (const auto& [key, store] : state_.stores_)
        if (store->info.kind == kind && store->info.group == group && store->info.behaves != builtin::review)
            return store;
    return nullptr;
}

garbage_collector::owner_states garbage_collector::states_of(const found& dependent, const json::value& body,
                                                             std::string_view gone_uid) const
{
    owner_states out;
    const auto* references = array_at(body, "metadata.ownerReferences");
    if (!references) return out;
    for (const auto& reference : *references) {
        const std::string uid(text_at(reference, "uid"));
        const auto store = store_of(text_at(reference, "apiVersion"), text_at(reference, "kind"));
        // A cluster-scoped object cannot have an owner in a namespace.
        if (!store || (store->info.namespaced && dependent.object->ns.empty())) {
            if (!store && uid == gone_uid)
                out.gone.push_back(uid);
            else
                out.unknown = true;
            continue;
        }
        const auto ns = store->info.namespaced ? std::string_view(dependent.object->ns) : std::string_view{};
        const auto owner = store->find(storage_key(ns, text_at(reference, "name")));
        if (!owner || owner->uid != uid)
            out.gone.push_back(uid);
        else if (owner->deletes_dependents)
            out.waiting.push_back(uid);
        else
            out.solid = true;
    }
    return out;
}

void garbage_collector::examine(std::string_view place, std::string_view gone_uid, wall_time now)
{
    const auto dependent = find(place);
    if (!dependent.object || dependent.object->owners.empty()) return;
    examined_bytes_ += dependent.object->text.size();
    // The owners of a cycle wait for each other, so waiting would never end.
    if (dependent.object->deletes_dependents && waits_for_itself(*dependent.object)) unblock_owners(dependent);
    if (dependent.object->deleting) return;
    const auto body = to_json(*dependent.object);
    auto owners = states_of(dependent, body, gone_uid);
    if (owners.unknown || (owners.gone.empty() && owners.waiting.empty())) return;
    if (owners.solid) {
        owners.gone.insert(owners.gone.end(), owners.waiting.begin(), owners.waiting.end());
        return drop_owners(dependent, owners.gone);
    }
    const auto& uid = dependent.object->uid;
    if (!owners.waiting.empty() && index_.any(uid)) {
        if (index_.any_waits(uid)) unblock_owners(dependent);
        return remove(find(place), "Foreground", now);
    }
    remove(dependent,
           has_finalizer(body, orphan_finalizer)       ? "Orphan"
           : has_finalizer(body, foreground_finalizer) ? "Foreground"
                                                       : "Background",
           now);
}

bool garbage_collector::waits_for_itself(const stored_object& object) const
{
    // Up from owner to owner, as far as they wait.
    constexpr std::size_t most_owners = 1000;
    std::set<std::string> seen;
    std::vector<stored> next;
    const auto climb = [&](const stored_object& from) {
        for (const auto& owner : from.owners) {
            const auto waits = waiting_.find(owner.uid);
            if (waits == waiting_.end() || seen.size() >= most_owners || !seen.insert(owner.uid).second) continue;
            if (auto above = find(waits->second).object) next.push_back(std::move(above));
        }
    };
    climb(object);
    while (!next.empty() && !seen.contains(object.uid)) {
        const auto owner = std::move(next.back());
        next.pop_back();
        climb(*owner);
    }
    return seen.contains(object.uid);
}

void garbage_collector::remove(const found& doomed, std::string_view propagation, wall_time now)
{
    object_address at{doomed.store, doomed.store->info.storage_version, doomed.object->ns, doomed.object->name};
    delete_request how;
    how.uid = doomed.object->uid;
    how.propagation = propagation;
    (void)state_.remove(at, how, now); // It is there, and it is the object that was looked at.
}

void garbage_collector::drop_owners(const found& dependent, const std::vector<std::string>& uids)
{
    if (!dependent.object) return;
    auto body = to_json(*dependent.object);
    auto& metadata = body.at("metadata").get_object();
    auto* references = metadata["ownerReferences"].if_array();
    if (!references) return;
    const std::set<std::string_view> dropped(uids.begin(), uids.end());
    json::array kept;
    for (auto& reference : *references)
        if (!dropped.contains(text_at(reference, "uid"))) kept.push_back(std::move(reference));
    metadata["ownerReferences"] = std::move(kept);
    state_.commit(*dependent.store, dependent.object, body);
}

void garbage_collector::unblock_owners(const found& dependent)
{
    auto body = to_json(*dependent.object);
    auto* references = body.at("metadata").get_object()["ownerReferences"].if_array();
    if (!references) return;
    bool changed = false;
    for (auto& reference : *references) {
        auto* blocks = reference.is_object() ? reference.get_object().if_contains("blockOwnerDeletion") : nullptr;
        if (!blocks || !blocks->is_bool() || !blocks->get_bool()) continue;
        *blocks = false;
        changed = true;
    }
    if (changed) state_.commit(*dependent.store, dependent.object, body);
}

void garbage_collector::drop_finalizer(const found& owner, std::string_view finalizer, wall_time now)
{
    auto body = to_json(*owner.object);
    remove_finalizer(body, finalizer);
    const bool held = has_finalizers(body) || int_at(body, "metadata.deletionGracePeriodSeconds") > 0;
    if (held)
        state_.commit(*owner.store, owner.object, body);
    else
        state_.erase(*owner.store, owner.object, now);
}

} // namespace kubecoro::apiserver
