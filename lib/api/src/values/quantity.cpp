#include "values/decimal.hpp"
#include "values/refused.hpp"

#include <kubecoro/api/quantity.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>

namespace kubecoro {
namespace {

using detail::decimal;

using limits = std::numeric_limits<std::int64_t>;

constexpr std::int64_t nano = -9;
constexpr std::int64_t exa = 18;

/// The number of a text that is a quantity, without the limit of binary suffixes.
decimal evaluate(const detail::quantity_parts& parts)
{
    std::string digits(parts.whole);
    digits += parts.fraction;
    const auto places = static_cast<std::int64_t>(parts.fraction.size());
    const auto power = (parts.base == 10 ? parts.exponent : 0) - places;
    decimal number = decimal::of(parts.negative, digits, power);
    if (parts.base == 2) number = detail::times_power_of_two(number, parts.exponent);
    return detail::rounded(std::move(number), nano);
}

/// mantissa * 10^power, as usual quantities are.
struct small_number
{
    std::int64_t mantissa;
    std::int32_t power;
};

/// The number of a text that is a quantity, if it needs no more than 64 bits and no rounding.
std::optional<small_number> small_number_of(const detail::quantity_parts& parts) noexcept
{
    if (parts.whole.size() + parts.fraction.size() > limits::digits10) return std::nullopt;
    std::int64_t mantissa = 0;
    for (const auto digits : {parts.whole, parts.fraction})
        for (const char c : digits) mantissa = mantissa * 10 + (c - '0');
    if (parts.negative) mantissa = -mantissa;
    if (parts.base == 2) {
        if (!parts.fraction.empty() || __builtin_mul_overflow(mantissa, std::int64_t{1} << parts.exponent, &mantissa))
            return std::nullopt;
        return small_number{mantissa, 0};
    }
    const auto power = parts.exponent - static_cast<std::int32_t>(parts.fraction.size());
    if (power < nano) return std::nullopt;
    return small_number{mantissa, power};
}

/// Compares magnitudes.
bool is_below(const decimal& number, std::int64_t limit)
{
    return detail::compare(decimal{false, number.digits, number.power}, decimal::of(limit, 0)) < 0;
}

/// Cuts the magnitude to the largest number of 64 bits.
decimal capped(decimal number)
{
    const auto size = number.power + static_cast<std::int64_t>(number.digits.size());
    if (size <= limits::digits10 || is_below(number, limits::max())) return number;
    return decimal::of(number.negative, detail::magnitude(limits::max()), 0);
}

std::string sign_and_digits(const decimal& number, std::int64_t zeros)
{
    std::string out(number.negative ? "-" : "");
    return out.append(number.digits).append(static_cast<std::size_t>(zeros), '0');
}

std::string_view suffix(int base, std::int64_t exponent)
{
    for (const auto& known : detail::quantity_suffixes)
        if (known.base == base && known.exponent == exponent) return known.text;
    return {};
}

std::string decimal_text(const decimal& number, quantity_format format)
{
    // Zeros make the exponent a multiple of 3.
    std::int64_t zeros = (number.power % 3 + 3) % 3;
    std::int64_t exponent = number.power - zeros;
    const bool has_exponent = format == quantity_format::decimal_exponent;
    // A larger exponent could not be read again, a larger suffix does not exist.
    const std::int64_t most = has_exponent ? detail::largest_quantity_exponent / 3 * 3 : exa;
    if (exponent > most) {
        zeros += exponent - most;
        exponent = most;
    }
    const std::string digits = sign_and_digits(number, zeros);
    if (!has_exponent) return digits + std::string(suffix(10, exponent));
    return exponent == 0 ? digits : digits + "e" + std::to_string(exponent);
}

std::string binary_text(decimal number)
{
    constexpr int most_factors = 6;
    const int factors = detail::take_factors_of_1024(number, most_factors);
    return sign_and_digits(number, number.power).append(suffix(2, factors * 10));
}

std::string text_of(const decimal& number, quantity_format format)
{
    if (number.is_zero()) return "0";
    if (format == quantity_format::decimal_exponent) return decimal_text(number, format);
    // Powers of 1024 would lose a fraction, and say nothing of small numbers.
    const bool binary = format == quantity_format::binary_si && number.power >= 0 && !is_below(number, 1024);
    return binary ? binary_text(number) : decimal_text(number, quantity_format::decimal_si);
}

/// The number of a text that is a quantity. @param format  That of its text; changes to that of the number.
decimal any_number_of(const detail::quantity_parts& parts, quantity_format& format)
{
    decimal number = evaluate(parts);
    if (parts.base != 2) return number;
    number = capped(std::move(number));
    if (!number.is_zero() && is_below(number, 1)) format = quantity_format::decimal_si;
    return number;
}

/// Rounded away from zero. None beyond 64 bits.
std::optional<std::int64_t> times_power_of_ten(std::int64_t value, std::int64_t power) noexcept
{
    for (; power > 0 && value != 0; --power)
        if (__builtin_mul_overflow(value, 10, &value)) return std::nullopt;
    const int away = value < 0 ? -1 : 1;
    bool has_rest = false;
    for (; power < 0 && value != 0; ++power) {
        has_rest = has_rest || value % 10 != 0;
        value /= 10;
    }
    return has_rest ? value + away : value;
}

} // namespace

result<quantity> quantity::parse(std::string_view text)
{
    if (!detail::is_quantity(text)) return detail::refused("a quantity such as 250m or 64Mi", text);
    const auto parts = detail::split_quantity(text);
    quantity out;
    out.format_ = parts.format;
    if (const auto small = small_number_of(parts))
        out.set(small->mantissa, small->power);
    else
        out.set(any_number_of(parts, out.format_));
    out.text_ = text;
    return out;
}

quantity quantity::made(bool negative, std::uint64_t magnitude, std::int32_t power, quantity_format format)
{
    quantity out;
    out.format_ = format;
    out.set(decimal::of(negative, magnitude, power));
    return out;
}

std::string quantity::canonical() const { return text_of(number(), format_); }

std::ostream& operator<<(std::ostream& out, const quantity& q) { return out << q.text(); }

detail::decimal quantity::number() const
{
    if (large_) return evaluate(detail::split_quantity(text_));
    return decimal::of(mantissa_, power_);
}

void quantity::set(const detail::decimal& number)
{
    const auto mantissa = detail::in_units(number, number.power);
    large_ = !mantissa;
    mantissa_ = mantissa ? *mantissa : number.negative ? -1 : 1;
    power_ = static_cast<std::int32_t>(number.power);
    text_ = large_ ? text_of(number, format_) : std::string();
}

void quantity::set(std::int64_t mantissa, std::int32_t power) noexcept
{
    mantissa_ = mantissa;
    power_ = mantissa == 0 ? 0 : power;
    large_ = false;
    text_.clear();
}

std::int64_t quantity::scaled_value(int power_of_ten) const
{
    const auto small = large_ ? std::nullopt : times_power_of_ten(mantissa_, std::int64_t{power_} - power_of_ten);
    if (small) return *small;
    const auto value = detail::in_units(detail::rounded(number(), power_of_ten), power_of_ten);
    return value ? *value : sign() < 0 ? limits::min() : limits::max();
}

double quantity::as_double() const
{
    const decimal n = number();
    if (n.is_zero()) return 0;
    const std::string text = sign_and_digits(n, 0) + "e" + std::to_string(n.power);
    double out = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    // The least quantity is far from the least double.
    constexpr double infinite = std::numeric_limits<double>::infinity();
    return read.ec == std::errc() ? out : n.negative ? -infinite : infinite;
}

quantity& quantity::operator+=(const quantity& other)
{
    if (is_zero()) format_ = other.format_;
    const auto power = std::min(power_, other.power_);
    const auto a = large_ ? std::nullopt : times_power_of_ten(mantissa_, power_ - power);
    const auto b = other.large_ ? std::nullopt : times_power_of_ten(other.mantissa_, other.power_ - power);
    std::int64_t small = 0;
    if (a && b && !__builtin_add_overflow(*a, *b, &small))
        set(small, power);
    else
        set(detail::sum(number(), other.number()));
    return *this;
}

quantity& quantity::multiply(bool negative, std::uint64_t factor)
{
    const auto signed_factor = static_cast<std::int64_t>(negative ? 0 - factor : factor);
    const bool fits = !large_ && std::in_range<std::int64_t>(factor);
    std::int64_t small = 0;
    if (fits && !__builtin_mul_overflow(mantissa_, signed_factor, &small))
        set(small, power_);
    else
        set(detail::product(number(), negative, factor));
    return *this;
}

quantity quantity::operator-() const
{
    quantity out = *this;
    return out.multiply(true, 1);
}

std::weak_ordering quantity::order(const quantity& other) const
{
    if (power_ == other.power_ && !large_ && !other.large_) return mantissa_ <=> other.mantissa_;
    return detail::compare(number(), other.number());
}

} // namespace kubecoro
