#pragma once
// One line to unwrap a result, or to leave the coroutine with its failure.

#include <kubecoro/base/result.hpp>

#include <utility>

/** Unwraps a result<T>, or leaves the coroutine with its failure.

        KUBECORO_TRY(auto pods, co_await cluster.list(pod, ns));      // declares `pods`, a list_page
        KUBECORO_TRY(newest, co_await cluster.get(pod, ns, name));    // assigns to a variable
        KUBECORO_TRY(co_await cluster.remove(pod, ns, name));         // needs no value

    For coroutines of asio::awaitable<result<T>>, which reconcilers and event handlers may be. The failure leaves as it
    is, with its request and its causes; cancellation leaves as cond::cancelled. Where all is well it costs a branch. In
    coroutines of awaitable<void> and in plain functions it does not compile: `.value()` throws instead.

    The first form declares a variable, so it is no statement for an `if` without braces: that does not compile. A
    declaration that has a comma, such as `auto [a, b]`, needs a name first. */
#define KUBECORO_TRY(first, ...) KUBECORO_TRY_JOIN(KUBECORO_TRY_, __VA_OPT__(KEEP))(first __VA_OPT__(, ) __VA_ARGS__)

// The parts of KUBECORO_TRY, of no use by themselves.
#define KUBECORO_TRY_JOIN(a, b) KUBECORO_TRY_JOINED(a, b)
#define KUBECORO_TRY_JOINED(a, b) a##b
// No `if`: an `if` without braces around it would own its else. The loop is left in its first round.
#define KUBECORO_TRY_(...)                                                                                             \
    for (const auto kubecoro_outcome = __VA_ARGS__; ::kubecoro::detail::has_failed(kubecoro_outcome);)                 \
    KUBECORO_TRY_LEAVE(kubecoro_outcome)
#define KUBECORO_TRY_KEEP(first, ...)                                                                                  \
    KUBECORO_TRY_TAKE(KUBECORO_TRY_JOIN(kubecoro_outcome_, __COUNTER__), first, __VA_ARGS__)
#define KUBECORO_TRY_TAKE(outcome, target, ...)                                                                        \
    auto outcome = __VA_ARGS__;                                                                                        \
    if (::kubecoro::detail::has_failed(outcome)) KUBECORO_TRY_LEAVE(outcome);                                          \
    target = ::kubecoro::detail::value_of(std::move(outcome))
// A macro cannot ask what its function returns. Compilers show this line, with its comment, where it is no such coroutine.
#define KUBECORO_TRY_LEAVE(x)                                                                                          \
    co_return /* needs awaitable<result<..>>, or use .value() */ ::kubecoro::detail::failure_of(x)

namespace kubecoro::detail {

template<class T>
inline constexpr bool is_result = false;
template<class T>
inline constexpr bool is_result<result<T>> = true;

// For anything but a result the first of these says what is wrong, and the others compile, so that the compiler says no more.

template<class R>
[[nodiscard]] bool has_failed(const R& outcome) noexcept
{
    static_assert(is_result<R>, "KUBECORO_TRY unwraps a kubecoro::result<T>; is a co_await missing?");
    if constexpr (is_result<R>)
        return !outcome;
    else
        return true;
}

template<class R>
[[nodiscard]] failure failure_of(const R& outcome)
{
    if constexpr (is_result<R>)
        return outcome.error();
    else
        return failure();
}

template<class R>
[[nodiscard]] auto value_of(R&& outcome)
{
    if constexpr (is_result<R>)
        return *std::move(outcome);
    else
        return std::move(outcome);
}

} // namespace kubecoro::detail
