#pragma once

#include <kubecoro/base/clock.hpp>

#include <chrono>

namespace kubecoro {

/// Delays between attempts. The defaults are those of client-go's reflector.
struct backoff_policy
{
    /// First delay. Must be > 0.
    saturating_duration initial = std::chrono::milliseconds{800};
    /// Each delay is the previous one times this. Must be >= 1.
    double factor = 2.0;
    /// Upper bound of the delay, jitter excluded.
    saturating_duration cap = std::chrono::seconds{30};
    /// A delay d becomes uniform in [d, d * (1 + jitter)]. 0 = none.
    double jitter = 1.0;
};

} // namespace kubecoro
