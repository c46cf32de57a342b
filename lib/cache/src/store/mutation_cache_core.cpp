#include "store/mutation_cache_core.hpp"

#include <kubecoro/api/resource_version.hpp>
#include <kubecoro/base/saturating_time.hpp>

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
    object_key key = w.key;
    entries_.insert_or_assign(std::move(key), entry{std::move(w), time_after(now, ttl_), next_age_++});
    if (entries_.size() > max_entries_) make_room(now);
}

void mutation_cache_core::make_room(time_point now)
{
    std::erase_if(entries_, [now](const auto& e) { return e.second.expires <= now; });
    if (entries_.size() <= max_entries_) return;
    entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                    [](const auto& a, const auto& b) { return a.second.age < b.second.age; }));
}

std::optional<own_write> mutation_cache_core::find(object_key_view key, time_point now)
{
    const auto at = entries_.find(object_key(key));
    if (at == entries_.end()) return std::nullopt;
    if (at->second.expires > now) return at->second.write;
    entries_.erase(at);
    return std::nullopt;
}

std::vector<own_write> mutation_cache_core::all(time_point now)
{
    std::erase_if(entries_, [now](const auto& e) { return e.second.expires <= now; });
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
