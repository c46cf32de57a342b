#pragma once

#include <boost/asio/awaitable.hpp> // and this_coro, which it brings

#include <exception>
#include <optional>
#include <utility>

namespace kubecoro::detail {

/** Awaits a coroutine that ends in order after a cancellation: no co_await in it throws by itself then.

    Asio has one such setting for a whole chain of coroutines, so it is the caller's too. However `inner` ends, the
    caller has its own setting back. */
template<class T>
[[nodiscard]] boost::asio::awaitable<T> finishing(boost::asio::awaitable<T> inner)
{
    const bool throws = co_await boost::asio::this_coro::throw_if_cancelled();
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    std::optional<T> outcome;
    std::exception_ptr thrown;
    try {
        outcome = co_await std::move(inner);
    } catch (...) {
        thrown = std::current_exception();
    }
    co_await boost::asio::this_coro::throw_if_cancelled(throws);
    if (thrown) std::rethrow_exception(thrown);
    co_return *std::move(outcome);
}

} // namespace kubecoro::detail
