#include "shards/shard_settings.hpp"

#include "election/lease_times.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

constexpr auto* part = "shards";

/// The name of a Lease is also a label's value, and ends with a member's 16 digits.
constexpr std::size_t longest_group = 40;

bool is_alphanumeric(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_group_name(const std::string& name) noexcept
{
    return name.size() <= longest_group && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

} // namespace

result<> check_shards(const shard_options& o)
{
    if (o.group.empty()) return wrong_option(part, "no name of a group");
    if (!is_group_name(o.group))
        return wrong_option(part, "a group's name has up to 40 small letters, digits and dashes");
    if (o.list_delay < duration::zero()) return wrong_option(part, "a list_delay of less than 0");
    return check_lease_times(part, times_of(o));
}

shard_core::settings settings_of(const shard_options& o, std::string holder)
{
    return {.id = shard_hash(o.identity),
            .holder = std::move(holder),
            .by = o.by,
            .lease_duration = o.lease_duration,
            .renew_deadline = o.renew_deadline,
            .retry_period = o.retry_period,
            .request_limit = request_limit(times_of(o)),
            .grace = o.grace};
}

} // namespace kubecoro::detail
