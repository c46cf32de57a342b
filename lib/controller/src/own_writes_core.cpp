#include "own_writes_core.hpp"

#include <kubecoro/api/resource_version.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro {

bool not_behind(std::string_view version, std::string_view wanted) noexcept
{
    return !std::is_lt(compare_versions(version, wanted));
}

void own_writes_core::add(object_key_view key, std::vector<write> writes, time_point expiry)
{
    if (writes.empty()) return;
    entry& e = keys_[object_key(key)];
    e.expiry = expiry;
    moments_.push_back({expiry, object_key(key)});
    for (auto& w : writes) {
        waiting_for_.emplace(w.object, object_key(key));
        e.writes.push_back(std::move(w));
    }
}

bool own_writes_core::hold(object_key_view key, int priority)
{
    const auto at = keys_.find(key);
    if (at == keys_.end()) return false;
    auto& held = at->second.held;
    if (!held) ++held_;
    held = std::max(held.value_or(priority), priority);
    return true;
}

void own_writes_core::seen(std::uint32_t source, object_key_view object, std::string_view version,
                           std::vector<released>& out)
{
    if (keys_.empty()) return;
    const auto [first, last] = waiting_for_.equal_range(object_key(object));
    std::vector<object_key> concerned;
    for (auto at = first; at != last; ++at) concerned.push_back(at->second);
    const auto shown = [&](const write& w) {
        return w.source == source && w.object == object && not_behind(version, w.version);
    };
    for (const auto& key : concerned) drop(key, shown, out);
}

void own_writes_core::source_gone(std::uint32_t source, std::vector<released>& out)
{
    std::vector<object_key> all;
    for (const auto& [key, e] : keys_) all.push_back(key);
    for (const auto& key : all)
        drop(
            key, [source](const write& w) { return w.source == source; }, out);
}

std::size_t own_writes_core::expire(time_point now, std::vector<released>& out)
{
    std::size_t in_vain = 0;
    while (!moments_.empty() && moments_.front().when <= now) {
        const object_key key = std::move(moments_.front().key);
        moments_.pop_front();
        const auto at = keys_.find(key);
        // A key that has written again since has a later moment.
        if (at == keys_.end() || at->second.expiry > now) continue;
        if (at->second.held) ++in_vain;
        drop(
            key, [](const write&) { return true; }, out);
    }
    return in_vain;
}

std::optional<time_point> own_writes_core::next_expiry() const
{
    if (moments_.empty()) return std::nullopt;
    return moments_.front().when;
}

/// Forgets the writes of a key that were shown, and the key with the last of them.
template<class Shown>
void own_writes_core::drop(object_key_view key, Shown shown, std::vector<released>& out)
{
    const auto at = keys_.find(key);
    if (at == keys_.end()) return;
    for (const auto& w : at->second.writes) {
        if (!shown(w)) continue;
        const auto [first, last] = waiting_for_.equal_range(w.object);
        const auto mine = std::find_if(first, last, [&](const auto& waiter) { return waiter.second == at->first; });
        if (mine != last) waiting_for_.erase(mine);
    }
    std::erase_if(at->second.writes, shown);
    if (at->second.writes.empty()) release(at, out);
}

void own_writes_core::release(key_map::iterator at, std::vector<released>& out)
{
    if (at->second.held) {
        out.push_back({at->first, *at->second.held});
        --held_;
    }
    keys_.erase(at);
    if (keys_.empty()) moments_.clear();
}

} // namespace kubecoro
