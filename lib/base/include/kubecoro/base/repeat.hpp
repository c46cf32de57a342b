#pragma once
// Loops that repeat an operation on an injected clock. Each ends by cancellation, with cond::cancelled.

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kubecoro {

/// One round of a loop. An exception counts as a failure. Kept for as long as the loop runs, so it may have captures.
using loop_body = std::function<boost::asio::awaitable<result<>>()>;

/// Schedule of the rounds of jitter_until().
struct round_timing
{
    /// Time between rounds. 0 = start the next round at once, after other handlers on the executor have run.
    saturating_duration period = {};
    /// A period p becomes uniform in [p, p * (1 + jitter)]. 0 = none.
    double jitter = 0;
    /// True: measured from the end of one round to the beginning of the next. False: from beginning to beginning; after
    /// a round that takes longer the next one starts at once.
    bool sliding = true;
    /// Seed of the jitter. Empty = random.
    std::optional<std::uint64_t> seed = {};
};

/** Runs `body` at once and then `period` after each end of it, until cancelled.

    @par Errors        the first failure of `body`, which ends the loop; cond::cancelled.
    @par Cancellation  terminal, partial, total; reaches `body`.
    @par Executor      the caller's executor must be serialised, as for race(); so for all functions below.
    @par Lifetime      the clock must outlive the awaitable; the same holds for all functions below. */
[[nodiscard]] boost::asio::awaitable<result<>> until(time_source& time, saturating_duration period, loop_body body);

/// until() with jitter, or with a fixed rate.
[[nodiscard]] boost::asio::awaitable<result<>> jitter_until(time_source& time, round_timing timing, loop_body body);

/** Runs `body` repeatedly until cancelled: after a success with the policy's first delay, after failures with
    growing delays. A failure does not end the loop; it is passed to `on_failure`, if set. */
[[nodiscard]] boost::asio::awaitable<result<>> backoff_until(time_source& time, backoff_policy policy, loop_body body,
                                                             callback<void(const failure&)> on_failure = nullptr,
                                                             std::optional<std::uint64_t> seed = {});

/// When poll_until() asks, and for how long.
struct poll_timing
{
    /// From the end of one question to the beginning of the next.
    saturating_duration interval = std::chrono::seconds{1};
    /// Measured from the start; a question in progress is then cancelled. 0 = no limit.
    saturating_duration timeout = {};
    /// False: the first question is asked after one interval.
    bool immediate = true;
    /// Names the condition in the failure message: "the deployment is ready".
    std::string what = {};
};

/** Calls `ask` until it returns that the awaited condition holds.

    @par Errors        the first failure of `ask`; cond::timed_out; cond::cancelled.
    @par Cancellation  terminal, partial, total; reaches `ask`. */
[[nodiscard]] boost::asio::awaitable<result<>> poll_until(time_source& time, poll_timing timing,
                                                          std::function<boost::asio::awaitable<result<bool>>()> ask);

} // namespace kubecoro
