#pragma once
// Runs an operation with a deadline, for Asio versions without cancel_after.

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/own_chain.hpp>

#include <string>
#include <utility>

namespace kubecoro {

/** Runs both operations; when one ends, the other is cancelled and awaited.

    Both run on the caller's executor, which must be serialised (a strand, or a context with one thread).
    @return whether `work` ended first. Unspecified when the caller is cancelled.
    @throws an exception of either operation, other than a cancellation, after both have ended.
    @par Cancellation  terminal, partial, total, as far as the caller's cancellation state admits them; each kind
                       reaches both operations, and includes terminal cancellation. */
[[nodiscard]] boost::asio::awaitable<bool> race(boost::asio::awaitable<result<>> work,
                                                boost::asio::awaitable<result<>> limit);

/// The failure of with_timeout() when the limit passes.
[[nodiscard]] failure no_answer_in_time(const std::string& doing);

namespace detail {

/// Work for race() whose outcome is wanted. @param outcome  Replaced when `work` ends; must live until then.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<>> keep_outcome(boost::asio::awaitable<result<T>> work, result<T>& outcome)
{
    outcome = co_await catch_failure(std::move(work));
    co_return result<>{};
}

} // namespace detail

/** Runs `work`; if it has not ended within `limit`, cancels it, awaits its end and fails with cond::timed_out. 0 = no
    limit.

    @param doing       Names the operation in the failure: "list pods".
    @par Errors        those of `work`; cond::timed_out; cond::cancelled. An exception of `work` becomes a failure.
    @par Cancellation  as race(); reaches `work`.
    @par Executor      as race(). */
template<class T>
[[nodiscard]] boost::asio::awaitable<result<T>> with_timeout(time_source& time, saturating_duration limit,
                                                             std::string doing, boost::asio::awaitable<result<T>> work)
{
    result<T> outcome = failure(cond::cancelled);
    auto kept = detail::keep_outcome(std::move(work), outcome);
    if (limit == duration::zero()) {
        co_await detail::own_chain().run(std::move(kept));
        co_return outcome;
    }
    const bool in_time = co_await race(std::move(kept), sleep_for(time, limit));
    const auto caller = co_await boost::asio::this_coro::cancellation_state;
    if (in_time || outcome || caller.cancelled() != boost::asio::cancellation_type::none) co_return outcome;
    if (outcome.error() == cond::cancelled) co_return no_answer_in_time(doing);
    co_return outcome;
}

} // namespace kubecoro
