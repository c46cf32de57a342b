#pragma once

#include <kubecoro/base/timeout.hpp>

#include <boost/asio/awaitable.hpp>

#include <utility>

namespace kubecoro::detail {

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
