#include "discovery/discovery_cache_core.hpp"

#include <utility>

namespace kubecoro::detail {

discovery_cache_core::list discovery_cache_core::current(time_point now) const noexcept
{
    if (!list_) return nullptr;
    const auto age = now - read_at_;
    if (options_.max_age != duration::zero() && age >= options_.max_age) return nullptr;
    // The groups that did not respond may have come back.
    if (!list_->missing.empty() && age >= options_.miss_interval) return nullptr;
    return list_;
}

bool discovery_cache_core::may_read_after_miss(time_point now) const noexcept
{
    return !list_ || now - tried_at_ >= options_.miss_interval;
}

void discovery_cache_core::on_begin(time_point now) noexcept
{
    tried_at_ = now;
    invalidated_ = false;
}

void discovery_cache_core::on_read(list found, time_point now) noexcept
{
    if (invalidated_) return;
    list_ = std::move(found);
    read_at_ = now;
}

void discovery_cache_core::invalidate() noexcept
{
    list_ = nullptr;
    invalidated_ = true;
}

} // namespace kubecoro::detail
