#include "clusters/join_pace.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>

namespace kubecoro::detail {

join_pace::join_pace(backoff_policy delays, std::size_t most) : policy_(delays), most_(std::max<std::size_t>(most, 1))
{
    policy_.jitter = 0;
}

std::optional<time_point> join_pace::due(std::string_view name) const
{
    const auto at = records_.find(name);
    return at == records_.end() ? std::nullopt : std::optional(at->second.due);
}

void join_pace::joined(const std::string& name, time_point now)
{
    auto at = records_.find(name);
    if (at == records_.end()) {
        if (records_.size() >= most_) make_room(now);
        at = records_.emplace(name, record{.delays = backoff(policy_), .due = now}).first;
    }
    auto& r = at->second;
    if (is_calm(r, now)) r.delays.reset();
    r.due = time_after(now, r.delays.next());
}

bool join_pace::is_calm(const record& r, time_point now) const { return time_after(r.due, policy_.cap) <= now; }

void join_pace::make_room(time_point now)
{
    std::erase_if(records_, [&](const auto& r) { return is_calm(r.second, now); });
    if (records_.size() < most_) return;
    const auto earlier = [](const auto& a, const auto& b) { return a.second.due < b.second.due; };
    records_.erase(std::min_element(records_.begin(), records_.end(), earlier));
}

} // namespace kubecoro::detail
