#pragma once
// Loops: something done again and again, on an injected clock. Each ends by cancellation, with cond::cancelled.

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/name_first.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace kubecoro {

/// One round of a loop. What it throws counts as its failure. Kept for as long as the loop runs, so it may have captures.
using loop_body = std::function<boost::asio::awaitable<result<>>()>;
/// Asks whether something is the case by now.
using question = std::function<boost::asio::awaitable<result<bool>>()>;

/// When jitter_until() does the next round.
struct round_timing
{
    /// Between rounds. 0 = at once, after others on the executor had their turn.
    duration period{0};
    /// A period p becomes uniform in [p, p * (1 + jitter)]. 0 = none.
    double jitter = 0;
    /// True: from the end of one round to the beginning of the next. False: from beginning to beginning; a round that
    /// takes longer is followed at once.
    bool sliding = true;
    /// Of the jitter.
    std::uint64_t seed = 1;
};

/** Does `body` at once and then `period` after each end of it, until cancelled.

    @par Errors        the first failure of `body`, which ends the loop; cond::cancelled.
    @par Cancellation  terminal, partial, total; reaches `body`.
    @par Lifetime      the clock must outlive the awaitable; the same for all that follow. */
[[nodiscard]] boost::asio::awaitable<result<>> until(time_source& time, duration period, named_first<loop_body> body);

/// until() with jitter, or with a fixed rate.
[[nodiscard]] boost::asio::awaitable<result<>> jitter_until(time_source& time, round_timing timing,
                                                            named_first<loop_body> body);

/** Does `body` again and again, until cancelled: after a success with the policy's first delay, after failures with
    growing ones. A failure does not end it but is handed to `on_failure`, if there is one. */
[[nodiscard]] boost::asio::awaitable<result<>>
backoff_until(time_source& time, backoff_policy policy, named_first<loop_body> body,
              named_first<std::function<void(const failure&)>> on_failure = nullptr, std::uint64_t seed = 1);

/// When poll_until() asks, and for how long.
struct poll_timing
{
    /// Between the end of one question and the next.
    duration interval{std::chrono::seconds{1}};
    /// From the beginning; a question in progress is cancelled then. 0 = no limit.
    duration timeout{0};
    /// False: the first question after one interval.
    bool immediate = true;
    /// For the failure: "the deployment is ready".
    std::string what = {};
    KUBECORO_NAME_FIRST;
};

/** Asks until the answer is yes.

    @par Errors        the first failure of `ask`; cond::timed_out; cond::cancelled.
    @par Cancellation  terminal, partial, total; reaches `ask`.
    @par Executor      with a timeout the caller's executor must be serialised, as for race(). */
[[nodiscard]] boost::asio::awaitable<result<>> poll_until(time_source& time, poll_timing timing,
                                                          named_first<question> ask);

} // namespace kubecoro
