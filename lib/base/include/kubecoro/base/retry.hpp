#pragma once

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/try.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace kubecoro {

/// Number and delays of the attempts of retry_on(). The defaults are those of client-go's RetryOnConflict.
struct retry_policy
{
    /// Total number of attempts, including the first. 0 counts as 1.
    unsigned attempts = 5;
    /// Delays between attempts.
    backoff_policy delays{.initial = std::chrono::milliseconds{10}, .factor = 1.0, .jitter = 0.1};
    /// Seed of the jitter. Empty = random.
    std::optional<std::uint64_t> seed = {};
};

namespace detail {

/** Decides whether to retry after a failure, and when. Sans-io, not thread safe. */
class retry_plan
{
public:
    /// Returns whether to retry after this failure. Not called for cond::cancelled, nor after the last attempt.
    using predicate = std::function<bool(const failure&)>;
    /// @param again  Must not be empty.
    retry_plan(predicate again, retry_policy policy);

    /// The delay before the next attempt, at least as long as the server asked for; empty when no attempt follows.
    [[nodiscard]] std::optional<duration> after(const failure& why);

private:
    predicate again_;
    unsigned left_;
    backoff delays_;
};

/// The operation to retry. Its type is not deduced from the argument: retry_on<T>(...) names it.
template<class T>
using attempt_of = std::type_identity_t<std::function<boost::asio::awaitable<result<T>>()>>;

/// The loop of retry_on(). @param outcome  That of the last attempt.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<>> attempts(own_chain chain, time_source& time, retry_plan plan,
                                                        std::function<boost::asio::awaitable<result<T>>()> body,
                                                        result<T>& outcome)
{
    for (;;) {
        outcome = co_await catch_failure(body);
        co_await own_filter();
        co_await own_throws();
        if (outcome) co_return result<>{};
        if (chain.cancelled()) co_return failure(cond::cancelled);
        const auto delay = plan.after(outcome.error());
        if (!delay) co_return result<>{};
        KUBECORO_TRY(co_await sleep_for(time, *delay));
    }
}

} // namespace detail

/** Runs `body` until it succeeds, fails with a failure that `again` does not accept, or has used all attempts.

        auto scaled = co_await retry_on<pod>(*time, cond::conflict, read_change_write);

    @par Errors        the last failure of `body`; cond::cancelled. An exception counts as cond::internal.
    @par Cancellation  terminal, partial, total; reaches `body`.
    @par Executor      the caller's executor must be serialised, as for race().
    @par Lifetime      the clock must outlive the awaitable. `body` is kept. */
template<class T = void>
[[nodiscard]] boost::asio::awaitable<result<T>> retry_on(time_source& time, detail::retry_plan::predicate again,
                                                         detail::attempt_of<T> body, retry_policy policy = {})
{
    result<T> outcome = failure(cond::cancelled);
    const detail::own_chain chain;
    KUBECORO_TRY(co_await chain.run(
        detail::attempts<T>(chain, time, detail::retry_plan(std::move(again), policy), std::move(body), outcome)));
    co_return outcome;
}

/// The same for failures of one condition.
template<class T = void>
[[nodiscard]] boost::asio::awaitable<result<T>> retry_on(time_source& time, cond condition, detail::attempt_of<T> body,
                                                         retry_policy policy = {})
{
    return retry_on<T>(
        time, [condition](const failure& f) { return f == condition; }, std::move(body), policy);
}

} // namespace kubecoro
