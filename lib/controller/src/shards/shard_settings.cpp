#include "shards/shard_settings.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace kubecoro::detail {
namespace {

/// A renewal may be this much later than the retry period, and has to be there before the deadline.
constexpr double jitter = 1.2;
/// A request may take half of the deadline, so that a second one has a chance; but a slow server gets a second.
constexpr auto least_request_limit = std::chrono::seconds{1};
/// The name of a Lease is also a label's value, and ends with a member's 16 digits.
constexpr std::size_t longest_group = 40;

failure wrong(const char* text) { return failure(cond::misconfigured, std::string("shards: ") + text); }

bool is_alphanumeric(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_group_name(const std::string& name) noexcept
{
    return name.size() <= longest_group && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

} // namespace

result<> check_shards(const shard_options& o)
{
    if (o.group.empty()) return wrong("no name of a group");
    if (!is_group_name(o.group)) return wrong("a group's name has up to 40 small letters, digits and dashes");
    if (o.lease_duration < std::chrono::seconds{1}) return wrong("lease_duration must be at least 1 s");
    if (o.lease_duration > std::chrono::seconds{std::numeric_limits<std::int32_t>::max()})
        return wrong("lease_duration must be less than 2^31 s");
    if (o.renew_deadline <= duration::zero()) return wrong("renew_deadline must be positive");
    if (o.retry_period <= duration::zero()) return wrong("retry_period must be positive");
    if (o.lease_duration <= o.renew_deadline) return wrong("lease_duration must be more than renew_deadline");
    if (std::chrono::duration<double>(o.renew_deadline) <= std::chrono::duration<double>(o.retry_period) * jitter)
        return wrong("renew_deadline must be more than 1.2 times retry_period");
    if (o.grace < duration::zero()) return wrong("grace must not be negative");
    return {};
}

shard_core::settings settings_of(const shard_options& o, std::string holder)
{
    return {.id = shard_hash(o.identity),
            .holder = std::move(holder),
            .by = o.by == shard_by::ns ? shard_unit::ns : shard_unit::object,
            .lease_duration = o.lease_duration,
            .renew_deadline = o.renew_deadline,
            .retry_period = o.retry_period,
            .request_limit = std::max<duration>(least_request_limit, o.renew_deadline / 2),
            .grace = o.grace};
}

} // namespace kubecoro::detail
