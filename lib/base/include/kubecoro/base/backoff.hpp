#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

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

/** Computes the delays between consecutive failures. Sans-io; not thread safe.

    Resets only when its owner reports success, never because time has passed: a permanent outage therefore stays at
    the longest delay (client-go resets after two minutes). */
class backoff
{
public:
    /// @param seed  Seeds the jitter. Empty = random, so that programs that failed together do not try again together.
    explicit backoff(backoff_policy policy = {}, std::optional<std::uint64_t> seed = {});

    /// The delay before the next attempt. Grows with each call up to the cap.
    [[nodiscard]] duration next();
    /// Returns to the first delay, after a successful attempt.
    void reset() noexcept;
    /// Failures since the last reset.
    [[nodiscard]] unsigned attempts() const noexcept { return attempts_; }

private:
    backoff_policy policy_;
    detail::random_source random_;
    duration base_;
    unsigned attempts_ = 0;
};

} // namespace kubecoro
