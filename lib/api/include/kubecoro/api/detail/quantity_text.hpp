#pragma once
// The grammar of quantities. It is in a header because literals are checked at compile time.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kubecoro {

/// How a quantity is written.
enum class quantity_format : std::uint8_t
{
    /// With a power of 1000: `250m`, `2`, `5k`, `1E`.
    decimal_si,
    /// With a power of 1024: `64Mi`, `2Gi`.
    binary_si,
    /// With an exponent: `12e6`.
    decimal_exponent
};

} // namespace kubecoro

namespace kubecoro::detail {

/// The pattern by which schemas of custom resources tell quantities from other numbers or texts: that of controller-gen.
inline constexpr std::string_view quantity_pattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|)"
    R"(([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

/// The parts of a quantity's text: whole.fraction * base^exponent.
struct quantity_parts
{
    /// False if the text is no quantity; the other members are then meaningless.
    bool good = false;
    bool negative = false;
    /// The digits before the point, and those behind it. Both may be empty: Go takes `.` and `k` for 0.
    std::string_view whole = {};
    std::string_view fraction = {};
    quantity_format format = quantity_format::decimal_si;
    /// 10 or 2.
    int base = 10;
    /// Exponents beyond the range that parse() accepts are cut to some number beyond it.
    int exponent = 0;
};

/// Limits of what is parsed, so that texts from elsewhere cost little.
inline constexpr std::size_t longest_quantity = 256;
inline constexpr int largest_quantity_exponent = 256;

struct quantity_suffix
{
    std::string_view text;
    quantity_format format;
    int base;
    int exponent;
};

inline constexpr quantity_suffix quantity_suffixes[] = {
    {"n", quantity_format::decimal_si, 10, -9}, {"u", quantity_format::decimal_si, 10, -6},
    {"m", quantity_format::decimal_si, 10, -3}, {"", quantity_format::decimal_si, 10, 0},
    {"k", quantity_format::decimal_si, 10, 3},  {"M", quantity_format::decimal_si, 10, 6},
    {"G", quantity_format::decimal_si, 10, 9},  {"T", quantity_format::decimal_si, 10, 12},
    {"P", quantity_format::decimal_si, 10, 15}, {"E", quantity_format::decimal_si, 10, 18},
    {"Ki", quantity_format::binary_si, 2, 10},  {"Mi", quantity_format::binary_si, 2, 20},
    {"Gi", quantity_format::binary_si, 2, 30},  {"Ti", quantity_format::binary_si, 2, 40},
    {"Pi", quantity_format::binary_si, 2, 50},  {"Ei", quantity_format::binary_si, 2, 60}};

constexpr std::string_view take_digits(std::string_view& text) noexcept
{
    std::size_t n = 0;
    while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
    const std::string_view digits = text.substr(0, n);
    text.remove_prefix(n);
    return digits;
}

/// Takes a sign off the front. True if it is a minus.
constexpr bool take_sign(std::string_view& text) noexcept
{
    if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
    const bool minus = text.front() == '-';
    text.remove_prefix(1);
    return minus;
}

/// Reads the exponent behind an e. False if there is none.
constexpr bool read_exponent(std::string_view text, int& exponent) noexcept
{
    constexpr int enough = 1'000'000;
    const bool negative = take_sign(text);
    const std::string_view digits = take_digits(text);
    if (digits.empty() || !text.empty()) return false;
    for (const char c : digits)
        if (exponent < enough) exponent = exponent * 10 + (c - '0');
    if (negative) exponent = -exponent;
    return true;
}

constexpr bool read_suffix(std::string_view text, quantity_parts& parts) noexcept
{
    for (const auto& known : quantity_suffixes) {
        if (known.text != text) continue;
        parts.format = known.format;
        parts.base = known.base;
        parts.exponent = known.exponent;
        return true;
    }
    if (text.front() != 'e' && text.front() != 'E') return false;
    parts.format = quantity_format::decimal_exponent;
    return read_exponent(text.substr(1), parts.exponent);
}

/// Splits a text by the grammar of apimachinery's ParseQuantity.
constexpr quantity_parts split_quantity(std::string_view text) noexcept
{
    quantity_parts parts;
    if (text.empty()) return parts;
    parts.negative = take_sign(text);
    parts.whole = take_digits(text);
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        parts.fraction = take_digits(text);
    }
    parts.good = read_suffix(text, parts);
    // Go's path for large and small suffixes wants a digit, its other one does not.
    const bool far = parts.base == 2 ? parts.exponent > 40 : parts.exponent < -9;
    if (parts.whole.empty() && parts.fraction.empty() && far) parts.good = false;
    return parts;
}

/// True if quantity::parse() accepts the text.
constexpr bool is_quantity(std::string_view text) noexcept
{
    if (text.size() > longest_quantity) return false;
    const quantity_parts parts = split_quantity(text);
    return parts.good && parts.exponent >= -largest_quantity_exponent && parts.exponent <= largest_quantity_exponent;
}

} // namespace kubecoro::detail
