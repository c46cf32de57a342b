#include <kubecoro/base/retry.hpp>
#include <kubecoro/base/saturating_time.hpp>

#include <algorithm>

namespace kubecoro {

retry_plan::retry_plan(predicate again, retry_policy policy)
    : again_(std::move(again)), left_(std::max(policy.attempts, 1U)), delays_(policy.delays, policy.seed)
{
}

std::optional<duration> retry_plan::after(const failure& why)
{
    if (--left_ == 0 || why == cond::cancelled || !again_(why)) return std::nullopt;
    return std::max(delays_.next(), saturated(why.retry_after().value_or(std::chrono::seconds{0})));
}

} // namespace kubecoro
