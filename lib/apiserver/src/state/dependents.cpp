#include "state/dependents.hpp"

namespace kubecoro::apiserver {

std::string place_of(const resource_info& info, const stored_object& object)
{
    // The two forms of an event are one object.
    return (info.behaves == builtin::event ? info.plural : info.display_name()) + object.key;
}

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

} // namespace kubecoro::apiserver
