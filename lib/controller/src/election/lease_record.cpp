#include "election/lease_record.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/timestamp.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace kubecoro::detail {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

/// The API takes 68 years: a Lease that was edited to say so would never expire when its holder has gone.
constexpr duration longest_stated = std::chrono::hours{1};

std::int32_t bounded(std::int64_t n) noexcept
{
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(n, 0, most));
}

} // namespace

lease_state read_lease(const object& o)
{
    const auto spec = o["spec"];
    lease_state out;
    out.record.holder = spec["holderIdentity"].as_string();
    out.record.duration_seconds = bounded(spec["leaseDurationSeconds"].as_int64());
    out.record.acquired = spec["acquireTime"].as_string();
    out.record.renewed = spec["renewTime"].as_string();
    out.record.transitions = bounded(spec["leaseTransitions"].as_int64());
    out.resource_version = o.resource_version();
    out.uid = o.uid();
    return out;
}

void write_lease(boost::json::object& lease, const lease_change& change, const lease_labels& labels, wall_time now)
{
    const auto text = micro_timestamp(now).canonical();
    field(lease, "spec", "holderIdentity") = change.holder;
    field(lease, "spec", "leaseDurationSeconds") = change.duration_seconds;
    field(lease, "spec", "leaseTransitions") = change.transitions;
    field(lease, "spec", "renewTime") = text;
    auto& acquired = field(lease, "spec", "acquireTime");
    if (change.acquires || !acquired.is_string()) acquired = text;
    for (const auto& [key, value] : labels) set_label(lease, key, value);
}

duration validity(const lease_record& r, duration own) noexcept
{
    if (r.duration_seconds <= 0) return own;
    return std::min(duration(std::chrono::seconds(r.duration_seconds)), std::max(own, longest_stated));
}

std::int32_t lease_seconds(duration d) noexcept
{
    return bounded(std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(d).count(), 1));
}

} // namespace kubecoro::detail
