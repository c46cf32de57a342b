#include "own_writes.hpp"

namespace kubecoro {
namespace {

/// The version that an event proves to be in the store; empty = any.
std::string_view proven_version(const notification& n) noexcept
{
    const auto* d = std::get_if<deleted>(&n);
    return d != nullptr && d->final_state_unknown ? std::string_view() : object_of(n).resource_version();
}

} // namespace

own_writes::released own_writes::seen(std::uint32_t source, std::span<const notification> events)
{
    released out;
    if (!any_) return out;
    std::lock_guard lock(mutex_);
    for (const auto& n : events) core_.seen(source, object_of(n).key(), proven_version(n), out);
    any_ = core_.size() != 0;
    return out;
}

own_writes::released own_writes::source_gone(std::uint32_t source)
{
    released out;
    std::lock_guard lock(mutex_);
    core_.source_gone(source, out);
    any_ = core_.size() != 0;
    return out;
}

own_writes::released own_writes::expire(time_point now, std::size_t& in_vain)
{
    released out;
    std::lock_guard lock(mutex_);
    in_vain = core_.expire(now, out);
    any_ = core_.size() != 0;
    return out;
}

std::optional<time_point> own_writes::next_expiry() const
{
    std::lock_guard lock(mutex_);
    return core_.next_expiry();
}

std::size_t own_writes::held() const
{
    std::lock_guard lock(mutex_);
    return core_.held();
}

} // namespace kubecoro
