// Decimal numbers of any size, for what quantities do beyond 64 bits.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// A multiple of 10^power, rounded away from zero.
[[nodiscard]] decimal rounded(decimal number, std::int64_t power);
/// The number in units of 10^power, of which it is a multiple. None beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> in_units(const decimal& number, std::int64_t power);
[[nodiscard]] decimal sum(const decimal& a, const decimal& b);
[[nodiscard]] decimal product(const decimal& number, bool negative, std::uint64_t factor);
[[nodiscard]] decimal times_power_of_two(const decimal& number, int exponent);
/// How often 1024 divides a whole number, at most `most` times; the number is divided by it.
[[nodiscard]] int take_factors_of_1024(decimal& whole, int most);
[[nodiscard]] std::strong_ordering compare(const decimal& a, const decimal& b) noexcept;

} // namespace kubecoro::detail
