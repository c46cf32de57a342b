#include <kubecoro/base/backoff.hpp>

#include <algorithm>

namespace kubecoro {
namespace {

duration scaled(duration d, double factor, duration limit) noexcept
{
    const double ticks = static_cast<double>(d.count()) * factor;
    if (ticks >= static_cast<double>(limit.count())) return limit;
    return duration(static_cast<duration::rep>(ticks));
}

} // namespace

backoff::backoff(backoff_policy policy, std::optional<std::uint64_t> seed)
    : policy_(policy), random_(seed ? *seed : random_seed()), base_(std::min(policy.initial, policy.cap))
{
}

duration backoff::next()
{
    const duration d = base_;
    ++attempts_;
    base_ = scaled(base_, std::max(policy_.factor, 1.0), policy_.cap);
    if (policy_.jitter <= 0) return d;
    return scaled(d, 1.0 + policy_.jitter * next_unit(random_), duration::max());
}

void backoff::reset() noexcept
{
    base_ = std::min(policy_.initial, policy_.cap);
    attempts_ = 0;
}

} // namespace kubecoro
