#include "election/lease_times.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace kubecoro::detail {
namespace {

/// A renewal may be this much later than the retry period, and has to be there before the deadline.
constexpr double most_jitter = 1.2;

/// A request may take half of the deadline, so that a second one has a chance; but a slow server gets a second.
constexpr auto least_request_limit = std::chrono::seconds{1};

} // namespace

failure wrong_option(const char* part, const char* why)
{
    return failure(cond::misconfigured, std::string(part) + ": " + why);
}

result<> check_lease_times(const char* part, const lease_times& t)
{
    const auto wrong = [part](const char* why) { return wrong_option(part, why); };
    if (t.lease_duration < std::chrono::seconds{1}) return wrong("lease_duration must be at least 1 s");
    if (t.lease_duration > std::chrono::seconds{std::numeric_limits<std::int32_t>::max()})
        return wrong("lease_duration must be less than 2^31 s");
    if (t.renew_deadline <= duration::zero()) return wrong("renew_deadline must be positive");
    if (t.retry_period <= duration::zero()) return wrong("retry_period must be positive");
    if (t.lease_duration <= t.renew_deadline) return wrong("lease_duration must be more than renew_deadline");
    if (std::chrono::duration<double>(t.renew_deadline) <= std::chrono::duration<double>(t.retry_period) * most_jitter)
        return wrong("renew_deadline must be more than 1.2 times retry_period");
    if (t.grace < duration::zero()) return wrong("grace must not be negative");
    return {};
}

duration request_limit(const lease_times& t) noexcept
{
    return std::max<duration>(least_request_limit, t.renew_deadline / 2);
}

} // namespace kubecoro::detail
