#pragma once
// Sums of times that somebody else chose: "for ever" must not come out as a moment in the past.

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <chrono>

namespace kubecoro {

/// a + b, or the longest (shortest) duration there is where the sum would lie beyond it.
[[nodiscard]] constexpr duration sum(duration a, duration b) noexcept
{
    if (b > duration::zero()) return a > duration::max() - b ? duration::max() : a + b;
    return a < duration::min() - b ? duration::min() : a + b;
}

/// The moment `d` after `now`, or the last one there is.
[[nodiscard]] constexpr time_point later(time_point now, duration d) noexcept
{
    return time_point(sum(now.time_since_epoch(), d));
}

/// The same number of seconds, or the longest duration there is.
[[nodiscard]] constexpr duration capped(std::chrono::seconds s) noexcept
{
    constexpr auto longest = std::chrono::floor<std::chrono::seconds>(duration::max());
    return s > longest ? duration::max() : duration(std::max(s, -longest));
}

} // namespace kubecoro
