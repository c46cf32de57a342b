#include "settling.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::config_reloader {

duration settling::wait(object_key_view key, std::string versions, time_point now)
{
    auto [at, fresh] = changing_.try_emplace(object_key(key), change{versions, now, now});
    change& c = at->second;
    if (!fresh && c.versions != versions) {
        c.versions = std::move(versions);
        c.last = now;
    }
    const auto due = std::min(c.last + pause_, c.first + most_pauses * pause_);
    return std::max(duration::zero(), due - now);
}

void settling::forget(object_key_view key)
{
    if (const auto at = changing_.find(key); at != changing_.end()) changing_.erase(at);
}

} // namespace kubecoro::config_reloader
