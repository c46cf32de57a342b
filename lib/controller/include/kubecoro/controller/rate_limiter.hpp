#pragma once

#include <kubecoro/base/clock.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace kubecoro {

/** Computes the delay of a key before its retry.

    Sans-io: time and the key's failures are inputs, so a limiter stores nothing per key. Asking and taking are
    separate steps, because a retry that merges with a waiting one must not use up anything. Not thread safe: one
    queue owns it and calls it serially, without holding a lock that other callers wait for. Implement it for custom
    rules: it may inspect the queue, but not add a key with a delay to it; its exceptions propagate out of the
    queue's call. */
class rate_limiter
{
public:
    virtual ~rate_limiter() = default;

    /// The delay before the next attempt of a key that had failed `failures` times before this failure; not negative.
    [[nodiscard]] virtual duration delay(unsigned failures, time_point now) const = 0;
    /// Confirms that the key whose delay() was computed for this time is really waiting.
    virtual void taken([[maybe_unused]] time_point now) {}
};

/// initial * 2^failures up to `limit`; never overflows. Both must be positive.
[[nodiscard]] std::unique_ptr<rate_limiter>
exponential_limiter(saturating_duration initial = std::chrono::milliseconds{5},
                    saturating_duration limit = std::chrono::seconds{1000});

/// The first `fast_attempts` failures wait `fast`, all others `slow`.
[[nodiscard]] std::unique_ptr<rate_limiter> fast_slow_limiter(saturating_duration fast, saturating_duration slow,
                                                              unsigned fast_attempts);

/// A token bucket shared by all keys: `per_second` tokens (> 0) are added per second, up to `burst` (at least 1). A key
/// that finds none waits for a future token, in the order of taking.
[[nodiscard]] std::unique_ptr<rate_limiter> bucket_limiter(double per_second = 10, double burst = 100);

/// The longest delay of several. Empty = none.
[[nodiscard]] std::unique_ptr<rate_limiter> max_of_limiter(std::vector<std::unique_ptr<rate_limiter>> limiters);

/// The inner limiter's delay, capped at `longest`.
[[nodiscard]] std::unique_ptr<rate_limiter> max_wait_limiter(std::unique_ptr<rate_limiter> inner,
                                                             saturating_duration longest);

/// client-go's default for controllers: the longer of 5 ms to 1,000 s per key and a bucket of 10 a second with a
/// burst of 100.
[[nodiscard]] std::unique_ptr<rate_limiter> default_controller_limiter();

/// client-go's default for a per-key limiter: 1 ms to 1,000 s.
[[nodiscard]] std::unique_ptr<rate_limiter> default_item_limiter();

} // namespace kubecoro
