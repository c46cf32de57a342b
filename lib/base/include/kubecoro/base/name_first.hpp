#pragma once
// Rejects at compile time callables and aggregates that would not do what they say: expressions that gcc 12 compiles into
// heap corruption, see docs/traps.md, and coroutines where plain functions are called.

#include <kubecoro/base/kept_text.hpp>

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

/// True under gcc before version 13, which copies a temporary bitwise in an expression with a co_await.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
inline constexpr bool temporaries_are_copied_bitwise = true;

/** The last member of every options aggregate.

    In an expression with a co_await, gcc 12 copies a temporary aggregate bitwise. There, and only there, it rejects
    a braced list inside such an aggregate: "array used as initializer", reported at the end of the coroutine. This
    member is such a list; it has no size. */
struct refused_unnamed_in_co_await
{
    constexpr refused_unnamed_in_co_await(std::initializer_list<char>) noexcept {}
    friend constexpr bool operator==(refused_unnamed_in_co_await, refused_unnamed_in_co_await) noexcept { return true; }
};
#define KUBECORO_NAME_FIRST [[no_unique_address]] ::kubecoro::refused_unnamed_in_co_await name_first = {'\0'}
#else
inline constexpr bool temporaries_are_copied_bitwise = false;
#define KUBECORO_NAME_FIRST static_assert(true)
#endif

/** A callable parameter of an awaitable function, converted to the type that the function stores.

    gcc 12 copies a temporary lambda with captures bitwise in an expression with a co_await. Under gcc 12, a
    temporary whose type must not be copied bitwise is rejected at compile time: give it a name and pass that. */
template<class T>
class named_first
{
public:
    /// Converts the callable to the stored type. Implicit, so that callers pass the callable itself.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, named_first> && std::is_convertible_v<F, T>)
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint leaves copying and moving alone
    named_first(F&& f) : value_(std::forward<F>(f))
    {
        static_assert(
            !temporaries_are_copied_bitwise || std::is_lvalue_reference_v<F> || std::is_same_v<F, T> ||
                std::is_base_of_v<F, T> || std::is_trivially_copyable_v<F>,
            "name it first: gcc 12 copies a temporary with captures bitwise here; auto f = [..]; (docs/traps.md)");
    }
    /// Moves the callable out. Call it once only.
    [[nodiscard]] T take() noexcept { return std::move(value_); }

private:
    T value_;
};

namespace detail {

/// Whether a call whose outcome is dropped would lose something: a coroutine, which then never begins, or a failure.
template<class R>
concept lost_when_dropped =
    requires { typename std::coroutine_traits<std::remove_cvref_t<R>>::promise_type; } || requires(const R& outcome) {
        outcome.has_value();
        outcome.error();
    };

/// Texts in braces where one text belongs. C++ makes one text of two, from the first one's beginning to the second one's end,
/// which no object has. A deleted overload with this parameter refuses them.
struct several_texts
{
    /// @param first,second  Such as `{"web", "jobs"}`.
    several_texts(const char* first, const char* second);
};

} // namespace detail

/** A list of texts in options: a vector that refuses braces within braces. `{{"web", "jobs"}}` would make one
    std::string of two pointers. */
class text_list : public std::vector<std::string>
{
public:
    text_list() = default;
    /// Copies texts in braces.
    text_list(std::initializer_list<kept_text> items) { assign(items.begin(), items.end()); }
    /// Copies a range, such as that of a set.
    template<std::input_iterator It>
        requires std::convertible_to<std::iter_reference_t<It>, std::string>
    text_list(It first, It last) : std::vector<std::string>(first, last)
    {
    }
    /// Keeps a vector.
    text_list(std::vector<std::string> texts) noexcept : std::vector<std::string>(std::move(texts)) {}
};

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
