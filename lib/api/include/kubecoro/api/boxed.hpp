#pragma once

#include <optional>
#include <utility>

namespace kubecoro {

namespace detail {
/// Always holds. Its name is part of what a compiler says about `{}`.
template<class T>
concept say_nullopt_or_double_braces = true;
} // namespace detail

/** An optional value on the heap, in the manner of std::optional.

    Structs of objects use it for parts that are seldom set, so that those cost one pointer, and for types that contain
    themselves. A regular value: copies are deep. T may be incomplete where only the type is named. */
template<class T>
class boxed
{
public:
    using value_type = T;

    /// Empty. Explicit, because `.emptyDir = {}` reads like a part that is there and empty: that is `{{}}`.
    explicit boxed() noexcept
        requires detail::say_nullopt_or_double_braces<T>
    = default;
    /// Empty.
    boxed(std::nullopt_t) noexcept {}
    /// Holds a copy of the value.
    boxed(const T& value) : value_(new T(value)) {}
    /// Holds the value.
    boxed(T&& value) : value_(new T(std::move(value))) {}
    /// Copies the value.
    boxed(const boxed& other) : value_(other.value_ ? new T(*other.value_) : nullptr) {}
    /// Takes the value over; `other` becomes empty.
    boxed(boxed&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    boxed& operator=(boxed other) noexcept
    {
        std::swap(value_, other.value_);
        return *this;
    }
    ~boxed() { delete value_; }

    /// Whether there is a value.
    [[nodiscard]] bool has_value() const noexcept { return value_ != nullptr; }
    /// Whether there is a value.
    explicit operator bool() const noexcept { return has_value(); }

    /// The value, which must be there, as with std::optional.
    [[nodiscard]] T& operator*() & noexcept { return *value_; }
    /// The value, which must be there.
    [[nodiscard]] const T& operator*() const& noexcept { return *value_; }
    /// The value, which must be there.
    [[nodiscard]] T&& operator*() && noexcept { return std::move(*value_); }
    /// A member of the value, which must be there.
    [[nodiscard]] T* operator->() noexcept { return value_; }
    /// A member of the value, which must be there.
    [[nodiscard]] const T* operator->() const noexcept { return value_; }
    /// The value. Throws std::bad_optional_access if there is none.
    [[nodiscard]] const T& value() const&
    {
        if (!value_) throw std::bad_optional_access();
        return *value_;
    }

    /// The value; makes an empty one if there is none: `pod.spec.securityContext.ensure().runAsNonRoot = true`.
    T& ensure()
    {
        if (!value_) value_ = new T();
        return *value_;
    }
    /// Drops the value.
    void reset() noexcept { delete std::exchange(value_, nullptr); }

    /// Equal if both are empty or both values are equal.
    friend bool operator==(const boxed& a, const boxed& b) { return a.value_ && b.value_ ? *a == *b : !a && !b; }
    friend bool operator==(const boxed& a, std::nullopt_t) noexcept { return !a; }

private:
    // Not a unique_ptr: hundreds of types of objects hold one of these, and each costs its users time to compile.
    T* value_ = nullptr;
};

} // namespace kubecoro
