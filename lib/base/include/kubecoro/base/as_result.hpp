#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kubecoro {

namespace detail {

/// The type of as_result.
struct as_result_t
{
};

} // namespace detail

/** A completion token for Asio's own operations, so that they give a result as the operations of this library do:

        KUBECORO_TRY(co_await timer.async_wait(kubecoro::as_result));
        KUBECORO_TRY(auto n, co_await socket.async_read_some(buffer, kubecoro::as_result));

    Gives a result<> for an operation without a value, a result<T> for one with a value, and a result<std::tuple<...>> for one
    with several. An operation that is cancelled while it is awaited fails with cond::cancelled.

    Not part of kubecoro.hpp: it brings headers of Asio that others do without. For operations that complete with an error_code or an exception_ptr. The I/O object must outlive the awaitable.
    @par Cancellation  as the operation's own. A coroutine that was cancelled before does not begin the operation: see
                       catch_failure(). */
inline constexpr detail::as_result_t as_result{};

namespace detail {

/// The value of an operation that completes with these, beside its error.
template<class... Ts>
struct completion_value
{
    using type = std::tuple<Ts...>;
};
template<class T>
struct completion_value<T>
{
    using type = T;
};
template<>
struct completion_value<>
{
    using type = void;
};

[[nodiscard]] inline bool has_failed(const boost::system::error_code& e) noexcept { return e.failed(); }
[[nodiscard]] inline bool has_failed(const std::exception_ptr& e) noexcept { return e != nullptr; }
[[nodiscard]] failure failure_of_completion(const boost::system::error_code& e);
[[nodiscard]] inline failure failure_of_completion(const std::exception_ptr& e) { return to_failure(e); }

/// Runs an operation whose signature is void(Error, Ts...).
template<class Error, class... Ts>
struct result_operation
{
    using value = typename completion_value<std::decay_t<Ts>...>::type;
    /// Beast's operations name it.
    using return_type = boost::asio::awaitable<result<value>>;

    template<class Initiation, class... Args>
    static boost::asio::awaitable<result<value>> initiate(Initiation initiation, as_result_t /*token*/, Args... args)
    {
        using token_type = boost::asio::as_tuple_t<boost::asio::use_awaitable_t<>>;
        token_type token(boost::asio::use_awaitable);
        auto done = co_await boost::asio::async_initiate<token_type, void(Error, Ts...)>(std::move(initiation), token,
                                                                                         std::move(args)...);
        if (has_failed(std::get<0>(done))) co_return failure_of_completion(std::get<0>(done));
        co_return take(std::move(done), std::index_sequence_for<Ts...>{});
    }

private:
    template<class Done, std::size_t... I>
    static result<value> take(Done done, std::index_sequence<I...> /*places*/)
    {
        if constexpr (sizeof...(I) == 0)
            return result<value>{};
        else
            return value(std::get<I + 1>(std::move(done))...);
    }
};

} // namespace detail
} // namespace kubecoro

namespace boost::asio {

/// How Asio finds as_result.
template<class... Ts>
struct async_result<kubecoro::detail::as_result_t, void(boost::system::error_code, Ts...)>
    : kubecoro::detail::result_operation<boost::system::error_code, Ts...>
{
};
/// The same for operations that complete with an exception.
template<class... Ts>
struct async_result<kubecoro::detail::as_result_t, void(std::exception_ptr, Ts...)>
    : kubecoro::detail::result_operation<std::exception_ptr, Ts...>
{
};

} // namespace boost::asio
