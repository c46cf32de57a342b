#include "store/mutation_cache_core.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

/// True when the stored object is that write or a later one. If versions are not comparable: when the stored version
/// has changed since the write.
bool caught_up(const own_write& w, const object& stored)
{
    const auto order = compare_versions(stored.resource_version(), w.version);
    if (order == std::partial_ordering::unordered) return stored.resource_version() != w.stored_then;
    return std::is_gteq(order);
}

/// True when the stored object is the removed one or an earlier one.
bool hidden(const own_write& removal, const object& stored)
{
    if (!removal.uid.empty() && stored.uid() == removal.uid) return true;
    const auto order = compare_versions(stored.resource_version(), removal.version);
    if (order == std::partial_ordering::unordered)
        return removal.uid.empty() && stored.resource_version() == removal.stored_then;
    return removal.uid.empty() ? std::is_lteq(order) : std::is_lt(order);
}

} // namespace

mutation_cache_core::mutation_cache_core(duration ttl, std::size_t max_entries)
    : ttl_(ttl), max_entries_(std::max<std::size_t>(1, max_entries))
{
}

void mutation_cache_core::put(own_write w, time_point now)
{
    const auto at = entries_.find(w.key);
    if (at != entries_.end() && at->second.expires > now) {
        const own_write& before = at->second.write;
        const auto order = compare_versions(w.version, before.version);
        if (std::is_lt(order)) return; // a newer write is already recorded
        const bool dead = !before.now && !before.uid.empty() && before.uid == w.uid;
        if (dead && w.now) return;
    }
    if (at != entries_.end()) erase(at);
    object_key key = w.key;
    const auto fresh = entries_.emplace(std::move(key), entry{std::move(w), time_after(now, ttl_), next_age_}).first;
    by_age_.emplace_hint(by_age_.end(), next_age_++, fresh);
    if (entries_.size() <= max_entries_) return;
    expire(now);
    if (entries_.size() > max_entries_) erase(by_age_.begin()->second);
}

void mutation_cache_core::erase(object_key_view key)
{
    if (const auto at = entries_.find(object_key(key)); at != entries_.end()) erase(at);
}

void mutation_cache_core::erase(entry_map::iterator at)
{
    by_age_.erase(at->second.age);
    entries_.erase(at);
}

void mutation_cache_core::expire(time_point now)
{
    while (!by_age_.empty() && by_age_.begin()->second->second.expires <= now) erase(by_age_.begin()->second);
}

std::optional<own_write> mutation_cache_core::find(object_key_view key, time_point now)
{
    const auto at = entries_.find(object_key(key));
    if (at == entries_.end()) return std::nullopt;
    if (at->second.expires > now) return at->second.write;
    erase(at);
    return std::nullopt;
}

std::vector<own_write> mutation_cache_core::all(time_point now)
{
    expire(now);
    std::vector<own_write> out;
    out.reserve(entries_.size());
    for (const auto& [key, e] : entries_) out.push_back(e.write);
    return out;
}

mutation_cache_core::verdict mutation_cache_core::judge(const own_write& w, const object& stored, bool passed)
{
    if (w.now) {
        const bool over = passed || (stored && caught_up(w, stored));
        return {over ? stored : w.now, over};
    }
    if (!stored) return {{}, passed};
    const bool hide = hidden(w, stored);
    return {hide ? object{} : stored, !hide};
}

} // namespace kubecoro::detail
