#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace kubecoro {

namespace detail {

/// Whether a call whose outcome is dropped would lose something: a coroutine, which then never begins, or a failure.
template<class R>
concept lost_when_dropped =
    requires { typename std::coroutine_traits<std::remove_cvref_t<R>>::promise_type; } || requires(const R& outcome) {
        outcome.has_value();
        outcome.error();
    };

} // namespace detail

/** A function of the user's that the library calls, and whose outcome it drops: a std::function that takes neither a
    coroutine nor a function that returns a result<>. */
template<class Signature>
class callback;

/// The only form: a callback returns nothing.
template<class... Args>
class callback<void(Args...)> : public std::function<void(Args...)>
{
    using base = std::function<void(Args...)>;

public:
    /// None: tests false.
    callback() noexcept = default;
    /// None.
    callback(std::nullptr_t) noexcept {}
    /// Keeps a callable. Implicit, so that callers pass the callable itself.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, callback> && std::is_constructible_v<base, F>)
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves copying and moving alone
    callback(F&& f) : base(std::forward<F>(f))
    {
        static_assert(!detail::lost_when_dropped<std::invoke_result_t<std::decay_t<F>&, Args...>>,
                      "this callback is a plain function: a coroutine would never begin, a result<> would be dropped");
    }
    /// Calls it. Throws std::bad_function_call if there is none.
    void operator()(Args... args) const& { base::operator()(std::forward<Args>(args)...); }
    /// Deleted: a std::function would wrap this callable, and test true although this one is empty. It copies the base of
    /// one that it cannot call.
    void operator()(Args... args) & = delete; // std::as_const(callback)(..)
};

} // namespace kubecoro
