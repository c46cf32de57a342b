#pragma once

#include <kubecoro/api/detail/quantity_text.hpp>
#include <kubecoro/base/result.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

namespace kubecoro {

namespace detail {

struct decimal;

template<class T>
concept whole_number =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template<std::size_t N>
struct literal_text
{
    consteval literal_text(const char (&from)[N])
    {
        for (std::size_t i = 0; i < N; ++i) text[i] = from[i];
    }
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, N - 1}; }
    char text[N] = {};
};

} // namespace detail

/** An amount of a resource, such as `250m` of a CPU or `64Mi` of memory: an exact decimal number with at most nine
    digits behind the point, and the form in which it is written.

    parse() reads by the rules of apimachinery's `resource.Quantity`, and keeps the text, so that a quantity which is
    not changed is written as it was read. Equality and order are those of the numbers: `1000m` equals `1`, although
    their texts differ. A regular value; usual quantities (up to 15 characters and 19 digits) do not allocate. Distinct
    objects may be used from distinct threads; const access to one from several. */
class quantity
{
public:
    /// Zero.
    quantity() = default;

    /** Reads a text: a number, and a suffix of `n u m k M G T P E`, `Ki Mi Gi Ti Pi Ei`, or an exponent (`1e3`).

        More than nine digits behind the point round away from zero. Numbers with a binary suffix are cut to the range
        of 64 bits, as in Go.
        Errors: cond::invalid, with the text, if it is no quantity, has more than 256 characters, or an exponent beyond
        256 in magnitude. Go has no such limits: `1e-1000000000` occupies it for minutes. */
    [[nodiscard]] static result<quantity> parse(std::string_view text);

    /// A whole number, in decimal form: `quantity::of(5000)` is `5k`.
    template<detail::whole_number T>
    [[nodiscard]] static quantity of(T value)
    {
        return whole(value, 0, quantity_format::decimal_si);
    }
    /// Thousandths, in decimal form: `quantity::milli(250)` is `250m`.
    template<detail::whole_number T>
    [[nodiscard]] static quantity milli(T thousandths)
    {
        return whole(thousandths, -3, quantity_format::decimal_si);
    }
    /// A number of bytes, in binary form: `quantity::bytes(64 << 20)` is `64Mi`.
    template<detail::whole_number T>
    [[nodiscard]] static quantity bytes(T value)
    {
        return whole(value, 0, quantity_format::binary_si);
    }

    /// The text as it was read; that of a quantity that was made or changed is canonical().
    [[nodiscard]] std::string text() const { return text_.empty() ? canonical() : text_; }
    /// Writes its text().
    friend std::ostream& operator<<(std::ostream& out, const quantity& q);
    /// The text as Kubernetes writes it: no fraction, the largest suffix that needs none. A decimal number above the
    /// suffixes keeps `E`, where Go loses the suffix: `1000E`.
    [[nodiscard]] std::string canonical() const;
    /// The form of canonical(). A quantity that is zero takes the form of the one that is added or subtracted.
    [[nodiscard]] quantity_format format() const noexcept { return format_; }

    /// -1, 0 or 1.
    [[nodiscard]] int sign() const noexcept { return mantissa_ < 0 ? -1 : mantissa_ > 0 ? 1 : 0; }
    /// Whether it is zero.
    [[nodiscard]] bool is_zero() const noexcept { return mantissa_ == 0; }
    /// The number, rounded away from zero. Numbers beyond 64 bits give the nearest limit, here and in the next two.
    [[nodiscard]] std::int64_t value() const { return scaled_value(0); }
    /// The number of thousandths, rounded away from zero.
    [[nodiscard]] std::int64_t milli_value() const { return scaled_value(-3); }
    /// The number divided by a power of ten, rounded away from zero: 0 for value(), -3 for milli_value().
    [[nodiscard]] std::int64_t scaled_value(int power_of_ten) const;
    /// The nearest double; infinite beyond its range.
    [[nodiscard]] double as_double() const;

    /// Exact, as all arithmetic.
    quantity& operator+=(const quantity& other);
    /// Subtracts exactly.
    quantity& operator-=(const quantity& other) { return *this += -other; }
    /// Multiplies exactly.
    template<detail::whole_number T>
    quantity& operator*=(T factor)
    {
        if constexpr (std::is_signed_v<T>)
            return multiply(factor < 0, magnitude(factor));
        else
            return multiply(false, factor);
    }

    /// The exact sum.
    [[nodiscard]] friend quantity operator+(quantity a, const quantity& b) { return a += b; }
    /// The exact difference.
    [[nodiscard]] friend quantity operator-(quantity a, const quantity& b) { return a -= b; }
    /// The same amount with the other sign.
    [[nodiscard]] quantity operator-() const;
    /// The exact product.
    template<detail::whole_number T>
    [[nodiscard]] friend quantity operator*(quantity a, T factor)
    {
        return a *= factor;
    }
    /// The exact product.
    template<detail::whole_number T>
    [[nodiscard]] friend quantity operator*(T factor, quantity a)
    {
        return a *= factor;
    }

    /// By number. Quantities that are equal may have different texts.
    [[nodiscard]] friend bool operator==(const quantity& a, const quantity& b) { return (a <=> b) == 0; }
    [[nodiscard]] friend std::weak_ordering operator<=>(const quantity& a, const quantity& b) { return a.order(b); }

private:
    static constexpr std::uint64_t magnitude(std::int64_t value) noexcept
    {
        return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    }
    template<class T>
    static quantity whole(T value, std::int32_t power, quantity_format format)
    {
        if constexpr (std::is_signed_v<T>)
            return made(value < 0, magnitude(value), power, format);
        else
            return made(false, value, power, format);
    }
    static quantity made(bool negative, std::uint64_t magnitude, std::int32_t power, quantity_format format);

    [[nodiscard]] detail::decimal number() const;
    void set(const detail::decimal& number);
    void set(std::int64_t mantissa, std::int32_t power) noexcept;
    quantity& multiply(bool negative, std::uint64_t factor);
    [[nodiscard]] std::weak_ordering order(const quantity& other) const;

    // As it was read; empty = canonical. A number that does not fit below has always its text.
    std::string text_;
    // The number is mantissa * 10^power.
    std::int64_t mantissa_ = 0;
    std::int32_t power_ = 0;
    quantity_format format_ = quantity_format::decimal_si;
    // The number does not fit: it is that of the text, and the mantissa has only its sign.
    bool large_ = false;
};

inline namespace literals {

/// `"250m"_quantity`, checked at compile time.
template<detail::literal_text Text>
[[nodiscard]] quantity operator""_quantity()
{
    static_assert(detail::is_quantity(Text.view()), "this text is no quantity");
    return *quantity::parse(Text.view());
}

} // namespace literals

} // namespace kubecoro
