#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp> // and this_coro, which it brings

#include <exception>
#include <functional>
#include <utility>

namespace kubecoro {

/// The failure an exception stands for: kubecoro::error's own; operation_aborted is cond::cancelled; other
/// system_errors by their code; anything else is cond::internal with what().
[[nodiscard]] failure to_failure(std::exception_ptr thrown) noexcept;

/** Runs an awaitable and turns whatever it throws into a failure: the one place where Asio's exceptions, cancellation
    among them, become values. Cancellation of the caller reaches the inner operation.

    A caller that has been cancelled already gets Asio's exception from its own co_await before guard begins (task_group
    turns that into cond::cancelled), unless it called finish_despite_cancellation(). */
template<class T>
[[nodiscard]] boost::asio::awaitable<result<T>> guard(boost::asio::awaitable<result<T>> inner)
{
    std::exception_ptr thrown;
    try {
        co_return co_await std::move(inner);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_return to_failure(std::move(thrown));
}

/// The same for a function that returns one, called inside: what it throws before it suspends is a failure like what it
/// throws later. `body` must outlive the awaitable.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<T>> guard(const std::function<boost::asio::awaitable<result<T>>()>& body)
{
    std::exception_ptr thrown;
    try {
        co_return co_await body();
    } catch (...) {
        thrown = std::current_exception();
    }
    co_return to_failure(std::move(thrown));
}

/// The same for an awaitable that yields nothing, such as a user's handler.
[[nodiscard]] boost::asio::awaitable<result<>> guard(boost::asio::awaitable<void> inner);

/// True when the calling coroutine has been asked to stop. Loops that may not suspend check it. Like every co_await, it
/// throws operation_aborted then, unless finish_despite_cancellation() came before.
[[nodiscard]] boost::asio::awaitable<bool> stop_requested();

/** For clean-up sections: `co_await finish_despite_cancellation();`

    From here on, co_await in this coroutine, and in those it awaits or is awaited by, no longer throws by itself after a
    cancellation. Operations begun after the cancellation run as if it had not been; one that comes later still reaches
    them. stop_requested() goes on telling the truth. Never throws, suspends or allocates. */
[[nodiscard]] inline auto finish_despite_cancellation() noexcept
{
    return boost::asio::this_coro::throw_if_cancelled(false);
}

} // namespace kubecoro
