#pragma once
// Rejects at compile time the expressions that gcc 12 compiles into heap corruption: see docs/traps.md.

#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <utility>

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
                std::is_trivially_copyable_v<F>,
            "name it first: gcc 12 copies a temporary with captures bitwise here; auto f = [..]; (docs/traps.md)");
    }
    /// Moves the callable out. Call it once only.
    [[nodiscard]] T take() noexcept { return std::move(value_); }

private:
    T value_;
};

} // namespace kubecoro
