// Quantities, and decimal numbers of any size for what they do beyond 64 bits.
#include <kubecoro/api/quantity.hpp>

#include "values/refused.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>

namespace kubecoro::detail {

constexpr std::uint64_t magnitude(std::int64_t value) noexcept
{
    return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

/// A number: digits * 10^power. The digits neither begin nor end with a zero; zero has none.
struct decimal
{
    bool negative = false;
    std::string digits = {};
    std::int64_t power = 0;

    /// Takes zeros off both ends of the digits.
    [[nodiscard]] static decimal of(bool negative, std::string_view digits, std::int64_t power);
    [[nodiscard]] static decimal of(bool negative, std::uint64_t magnitude, std::int64_t power);
    [[nodiscard]] static decimal of(std::int64_t number, std::int64_t power);
    [[nodiscard]] bool is_zero() const noexcept { return digits.empty(); }
};

namespace {

using boost::multiprecision::cpp_int;

cpp_int power_of_ten(std::int64_t power)
{
    return boost::multiprecision::pow(cpp_int(10), static_cast<unsigned>(power));
}

/// The number in units of 10^power, of which it is a multiple.
cpp_int whole(const decimal& number, std::int64_t power)
{
    if (number.is_zero()) return 0;
    cpp_int out = cpp_int(number.digits) * power_of_ten(number.power - power);
    return number.negative ? cpp_int(-out) : out;
}

decimal number_of(const cpp_int& value, std::int64_t power)
{
    return decimal::of(value < 0, cpp_int(abs(value)).str(), power);
}

void add_one_in_the_last_place(decimal& number)
{
    while (number.digits.ends_with('9')) {
        number.digits.pop_back();
        ++number.power;
    }
    if (number.digits.empty())
        number.digits = "1";
    else
        ++number.digits.back();
}

} // namespace

decimal decimal::of(bool negative, std::string_view digits, std::int64_t power)
{
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.empty()) return {};
    const std::size_t size = digits.find_last_not_of('0') + 1;
    return {negative, std::string(digits.substr(0, size)), power + static_cast<std::int64_t>(digits.size() - size)};
}

decimal decimal::of(bool negative, std::uint64_t magnitude, std::int64_t power)
{
    std::array<char, 20> digits{};
    const auto* end = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude).ptr;
    return of(negative, std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())), power);
}

decimal decimal::of(std::int64_t number, std::int64_t power)
{
    return of(number < 0, detail::magnitude(number), power);
}

namespace {

/// A multiple of 10^power, rounded away from zero.
decimal rounded(decimal number, std::int64_t power)
{
    if (number.is_zero() || number.power >= power) return number;
    // The digits left out are not all zero, because the last one is none.
    const auto left_out = static_cast<std::uint64_t>(power) - static_cast<std::uint64_t>(number.power);
    number.digits.resize(number.digits.size() - std::min<std::uint64_t>(number.digits.size(), left_out));
    number.power = power;
    add_one_in_the_last_place(number);
    return number;
}

/// The number in units of 10^power, of which it is a multiple. None beyond 64 bits.
std::optional<std::int64_t> in_units(const decimal& number, std::int64_t power)
{
    if (number.is_zero()) return 0;
    constexpr std::size_t most_digits = std::numeric_limits<std::int64_t>::digits10 + 1;
    const std::int64_t zeros = number.power - power;
    if (zeros >= static_cast<std::int64_t>(most_digits) ||
        number.digits.size() + static_cast<std::size_t>(zeros) > most_digits)
        return std::nullopt;
    std::string text(number.negative ? "-" : "");
    text.append(number.digits).append(static_cast<std::size_t>(zeros), '0');
    std::int64_t out = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), out).ec != std::errc()) return std::nullopt;
    return out;
}

decimal sum(const decimal& a, const decimal& b)
{
    const std::int64_t power = a.is_zero() ? b.power : b.is_zero() ? a.power : std::min(a.power, b.power);
    return number_of(whole(a, power) + whole(b, power), power);
}

decimal product(const decimal& number, bool negative, std::uint64_t factor)
{
    const cpp_int magnitude = whole(number, number.power) * factor;
    return number_of(negative ? cpp_int(-magnitude) : magnitude, number.power);
}

decimal times_power_of_two(const decimal& number, int exponent)
{
    std::int64_t small = 0;
    const auto value = in_units(number, number.power);
    if (value && exponent < 63 && !__builtin_mul_overflow(*value, std::int64_t{1} << exponent, &small))
        return decimal::of(small, number.power);
    return number_of(whole(number, number.power) << static_cast<unsigned>(exponent), number.power);
}

/// How often 1024 divides a whole number, at most `most` times; the number is divided by it.
int take_factors_of_1024(decimal& number, int most)
{
    const auto take_from = [most](auto& value) {
        int factors = 0;
        for (; factors < most && value != 0 && value % 1024 == 0; ++factors) value /= 1024;
        return factors;
    };
    int factors = 0;
    if (auto small = in_units(number, 0)) {
        factors = take_from(*small);
        number = decimal::of(*small, 0);
    } else {
        cpp_int large = whole(number, 0);
        factors = take_from(large);
        number = number_of(large, 0);
    }
    return factors;
}

std::strong_ordering compare(const decimal& a, const decimal& b) noexcept
{
    const auto sign = [](const decimal& d) { return d.is_zero() ? 0 : d.negative ? -1 : 1; };
    if (const auto by_sign = sign(a) <=> sign(b); by_sign != 0) return by_sign;
    const auto size = [](const decimal& d) { return d.power + static_cast<std::int64_t>(d.digits.size()); };
    const auto by_magnitude = size(a) != size(b) ? size(a) <=> size(b) : a.digits <=> b.digits;
    return a.negative ? 0 <=> by_magnitude : by_magnitude;
}

} // namespace

} // namespace kubecoro::detail

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
