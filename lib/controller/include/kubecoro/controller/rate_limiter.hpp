#pragma once

#include <kubecoro/base/clock.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace kubecoro {

/** Says how long a key has to wait before it is tried again.

    Sans-io: time and the key's failures are inputs, so a limiter keeps nothing per key. Asking and taking are two steps,
    because a retry that merges with one that waits already must not use up anything. Not thread safe: one queue owns
    it and asks it by one call at a time, without a lock of its own that others wait for. Implement it for rules of your
    own: it may look at the queue, but not put a key back with a delay of its own; what it throws leaves the queue's
    call. */
class rate_limiter
{
public:
    virtual ~rate_limiter() = default;

    /// The delay before the next attempt of a key that has failed `failures` times before this failure; not negative.
    [[nodiscard]] virtual duration delay(unsigned failures, time_point now) const = 0;
    /// The key whose delay() was asked for at this moment is really waiting now.
    virtual void taken([[maybe_unused]] time_point now) {}
};

/// initial * 2^failures up to `limit`; never overflows. Both must be positive.
[[nodiscard]] std::unique_ptr<rate_limiter> exponential_limiter(duration initial = std::chrono::milliseconds{5},
                                                                duration limit = std::chrono::seconds{1000});

/// The first `fast_attempts` failures wait `fast`, all others `slow`.
[[nodiscard]] std::unique_ptr<rate_limiter> fast_slow_limiter(duration fast, duration slow, unsigned fast_attempts);

/// A token bucket for all keys together: `per_second` tokens (> 0) come back a second, up to `burst` (at least 1 is
/// assumed). A key that finds none waits for one that will be there, in the order of taking.
[[nodiscard]] std::unique_ptr<rate_limiter> bucket_limiter(double per_second = 10, double burst = 100);

/// The longest delay of several. Empty = none.
[[nodiscard]] std::unique_ptr<rate_limiter> max_of_limiter(std::vector<std::unique_ptr<rate_limiter>> limiters);

/// The inner one's delay, but never longer than `longest`.
[[nodiscard]] std::unique_ptr<rate_limiter> max_wait_limiter(std::unique_ptr<rate_limiter> inner, duration longest);

/// What a controller wants, and client-go's default: the longer of 5 ms to 1,000 s per key and a bucket of 10 a second
/// with a burst of 100.
[[nodiscard]] std::unique_ptr<rate_limiter> default_controller_limiter();

/// client-go's default for a limiter per key alone: 1 ms to 1,000 s.
[[nodiscard]] std::unique_ptr<rate_limiter> default_item_limiter();

} // namespace kubecoro
