#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp> // and this_coro, which it brings

#include <exception>
#include <functional>
#include <utility>

namespace kubecoro {

/// Converts an exception to a failure: kubecoro::error to the failure it carries, operation_aborted to cond::cancelled,
/// other system_errors by their code, anything else to cond::internal with what().
[[nodiscard]] failure to_failure(std::exception_ptr thrown) noexcept;

/** Runs an awaitable and turns any exception into a failure: the one place where Asio's exceptions, including
    cancellation, become values. Cancellation of the caller reaches the inner operation.

    If the caller is already cancelled, its own co_await throws Asio's exception before catch_failure begins (task_group
    turns that into cond::cancelled), unless it called finish_despite_cancellation(). */
template<class T>
[[nodiscard]] boost::asio::awaitable<result<T>> catch_failure(boost::asio::awaitable<result<T>> inner)
{
    std::exception_ptr thrown;
    try {
        co_return co_await std::move(inner);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_return to_failure(std::move(thrown));
}

/// The same for a function that returns an awaitable and is called inside: exceptions thrown before it suspends become
/// failures too. `body` must outlive the awaitable.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<T>>
catch_failure(const std::function<boost::asio::awaitable<result<T>>()>& body)
{
    std::exception_ptr thrown;
    try {
        co_return co_await body();
    } catch (...) {
        thrown = std::current_exception();
    }
    co_return to_failure(std::move(thrown));
}

/// The same for an awaitable without a result, such as a user's handler.
[[nodiscard]] boost::asio::awaitable<result<>> catch_failure(boost::asio::awaitable<void> inner);

/// True when the calling coroutine has been cancelled. For loops that may not suspend. Like every co_await, it throws
/// operation_aborted in that case, unless finish_despite_cancellation() was called.
[[nodiscard]] boost::asio::awaitable<bool> stop_requested();

/** For clean-up sections: `co_await finish_despite_cancellation();`

    From here on, co_await in this coroutine, and in the coroutines up and down its co_await chain, no longer throws
    by itself after a cancellation. The chain goes up to the coroutine that was spawned, or that the library has called. Operations started after the cancellation run normally; a later cancellation
    still reaches them. stop_requested() still reports the truth. Never throws, suspends or allocates. */
[[nodiscard]] inline auto finish_despite_cancellation() noexcept
{
    return boost::asio::this_coro::throw_if_cancelled(false);
}

} // namespace kubecoro
