#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/random.hpp>

namespace kubecoro {

/// How long to wait between attempts. The defaults are those of client-go's reflector.
struct backoff_policy
{
    /// First delay. Must be > 0.
    duration initial = std::chrono::milliseconds{800};
    /// Each delay is the one before times this. Must be >= 1.
    double factor = 2.0;
    /// Delays grow up to this, jitter excluded.
    duration cap = std::chrono::seconds{30};
    /// A delay d becomes uniform in [d, d * (1 + jitter)]. 0 = none.
    double jitter = 1.0;
};

/** The delays of consecutive failures. Sans-io; not thread safe.

    It starts over only when its owner says that things are healthy again, never because time has passed: a permanent
    outage therefore stays at the longest delay (client-go starts over every two minutes). */
class backoff
{
public:
    /// @param seed  Seeds the jitter.
    explicit backoff(backoff_policy policy = {}, std::uint64_t seed = 1);

    /// The delay before the next attempt; longer each time.
    [[nodiscard]] duration next();
    /// Starts over: the last attempt proved healthy.
    void reset() noexcept;
    /// Failures since the last reset.
    [[nodiscard]] unsigned attempts() const noexcept { return attempts_; }

private:
    backoff_policy policy_;
    random_source random_;
    duration base_;
    unsigned attempts_ = 0;
};

} // namespace kubecoro
