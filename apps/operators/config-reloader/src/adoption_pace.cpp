#include "adoption_pace.hpp"

#include <algorithm>

namespace kubecoro::config_reloader {

duration adoption_pace::wait(object_key_view key, std::string_view uid, time_point now) const
{
    const auto found = adopted_.find(key);
    if (found == adopted_.end() || found->second.uid != uid) return duration::zero();
    return std::max(duration::zero(), found->second.at + found->second.next_wait - now);
}

void adoption_pace::adopted(object_key_view key, std::string_view uid, time_point now)
{
    if (adopted_.size() >= sweep_from_) sweep(now);
    auto [at, fresh] = adopted_.try_emplace(object_key(key), memory{std::string(uid), now, first_wait});
    if (fresh) return;
    const bool same = at->second.uid == uid;
    at->second = {std::string(uid), now, same ? std::min(at->second.next_wait * 2, longest_wait) : first_wait};
}

void adoption_pace::forget(object_key_view key)
{
    if (const auto found = adopted_.find(key); found != adopted_.end()) adopted_.erase(found);
}

/// A workload without the annotation is not reconciled any more, so that its deletion is not noticed.
void adoption_pace::sweep(time_point now)
{
    std::erase_if(adopted_, [now](const auto& each) {
        const memory& m = each.second;
        return m.at + m.next_wait + longest_wait < now;
    });
    sweep_from_ = std::max<std::size_t>(sweep_from_, 2 * adopted_.size());
}

} // namespace kubecoro::config_reloader
