#include "values/decimal.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace kubecoro::detail {
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

} // namespace kubecoro::detail
