#include "listener/call_meter.hpp"

#include <algorithm>
#include <limits>

namespace kubecoro::detail {
namespace {

constexpr auto idle = std::numeric_limits<duration::rep>::min();

} // namespace

call_meter::call_meter(duration slow_after, std::size_t slots) : slow_after_(slow_after), since_(slots)
{
    for (auto& s : since_) s = idle;
}

std::optional<duration> call_meter::end(std::size_t slot, time_point now) noexcept
{
    const duration took(now.time_since_epoch().count() - since_[slot].exchange(idle));
    if (took.count() > slowest_) slowest_ = took.count();
    if (is_slow(took)) ++slow_;
    if (took <= slow_after_) told_ = false;
    return is_news(took) ? std::optional(took) : std::nullopt;
}

std::optional<duration> call_meter::overdue(time_point now) noexcept
{
    const duration so_far = running(now);
    return is_news(so_far) ? std::optional(so_far) : std::nullopt;
}

duration call_meter::running(time_point now) const noexcept
{
    duration::rep longest = 0;
    for (const auto& s : since_)
        if (const auto since = s.load(); since != idle)
            longest = std::max(longest, now.time_since_epoch().count() - since);
    return duration(longest);
}

std::size_t call_meter::in_progress() const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(since_.begin(), since_.end(), [](const auto& s) { return s != idle; }));
}

} // namespace kubecoro::detail
