#pragma once
// How the driver of a core rests between two steps, and how work ends with its owner.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <utility>

namespace kubecoro::detail {

/** Completes when the signal has been notified, or at `until` by the clock `time`, which must outlive the wait. Empty =
    only when notified. An early end is harmless: the core is asked again.

    @par Executor      as race().
    @par Cancellation  terminal, partial, total: ends the wait. */
[[nodiscard]] boost::asio::awaitable<result<>> wait_for_news(wake_signal news, time_source& time,
                                                             std::optional<time_point> until);

/** Runs `work` and returns its outcome. If `end` completes first, `work` is cancelled and awaited.

    @par Errors        those of `work`, mostly cond::cancelled after `end`. An exception of `work` becomes a failure.
    @par Cancellation  as race().
    @par Executor      as race(). */
template<class T>
[[nodiscard]] boost::asio::awaitable<result<T>> unless(boost::asio::awaitable<result<>> end,
                                                       boost::asio::awaitable<result<T>> work)
{
    result<T> outcome = failure(cond::cancelled);
    co_await race(keep_outcome(std::move(work), outcome), std::move(end));
    co_return outcome;
}

} // namespace kubecoro::detail
