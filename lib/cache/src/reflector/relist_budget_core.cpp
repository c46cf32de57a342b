#include "reflector/relist_budget_core.hpp"

#include <kubecoro/base/clock.hpp>

#include <utility>

namespace kubecoro::detail {

relist_budget_core::ticket relist_budget_core::ask(time_point now)
{
    waiting_.insert(next_);
    grant(now);
    return next_++;
}

void relist_budget_core::leave(ticket t, time_point now)
{
    waiting_.erase(t);
    std::erase(granted_, t);
    running_.erase(t);
    grant(now);
}

void relist_budget_core::tick(time_point now)
{
    if (longest_ != duration::zero())
        std::erase_if(running_, [&](const auto& turn) { return now >= time_after(turn.second, longest_); });
    grant(now);
}

void relist_budget_core::grant(time_point now)
{
    while (!waiting_.empty() && (at_once_ == 0 || running_.size() < at_once_)) {
        const ticket next = waiting_.extract(waiting_.begin()).value();
        running_.emplace(next, now);
        granted_.push_back(next);
    }
}

std::vector<relist_budget_core::ticket> relist_budget_core::take_granted() { return std::exchange(granted_, {}); }

std::optional<time_point> relist_budget_core::expires() const noexcept
{
    if (waiting_.empty() || running_.empty() || longest_ == duration::zero()) return {};
    return time_after(running_.begin()->second, longest_);
}

} // namespace kubecoro::detail
