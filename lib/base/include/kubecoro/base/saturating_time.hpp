#pragma once
// Saturating sums of caller-supplied times: "forever" must not overflow into the past.

#include <kubecoro/base/clock.hpp>

#include <chrono>

namespace kubecoro {

/// a + b, saturated at the longest (shortest) duration.
[[nodiscard]] constexpr duration saturating_sum(duration a, duration b) noexcept
{
    if (b > duration::zero()) return a > duration::max() - b ? duration::max() : a + b;
    return a < duration::min() - b ? duration::min() : a + b;
}

/// The time `d` after `now`, saturated at the last representable one.
[[nodiscard]] constexpr time_point time_after(time_point now, duration d) noexcept
{
    return time_point(saturating_sum(now.time_since_epoch(), d));
}

/// The same length of time, such as a number of seconds or hours, or the longest duration if that is shorter.
[[nodiscard]] constexpr duration saturated(saturating_duration d) noexcept { return d; }

} // namespace kubecoro
