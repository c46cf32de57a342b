#pragma once
// The tokens of JSON text that are not brackets: strings and numbers.

#include "text/byte_block.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// An escape, a surrogate pair of two escapes, or a character that is not ASCII, at the start of a text.
struct text_unit
{
    /// Longest unit: \uXXXX\uXXXX.
    static constexpr std::size_t longest = 12;

    /// Bytes that it takes; 0 = the text ends within it, or it is wrong.
    std::size_t size = 0;
    /// Set if it is wrong.
    const char* problem = nullptr;
    /// Its UTF-8.
    char utf8[4] = {};
    std::size_t utf8_size = 0;
};

/// Reads the unit at the start of a text. A lone surrogate is read as U+FFFD, as in Go.
[[nodiscard]] text_unit read_unit(std::string_view text) noexcept;

/// The size of the UTF-8 sequence at the start of the text; 0 = it is wrong, or the text ends within it.
[[nodiscard]] std::size_t utf8_size(std::string_view text) noexcept;

/// Like find_special_narrow(), with the instructions of wide_machine, which must be available.
[[nodiscard]] const char* find_special_wide(const char* p, const char* end) noexcept;
/// The same with the best available instructions.
[[nodiscard]] const char* find_special_far(const char* p, const char* end) noexcept;

/// The first special byte at or after `p`, or `end`.
[[nodiscard]] inline const char* find_special(const char* p, const char* end) noexcept
{
    // Most texts are short, for which a call costs more than it gains.
    constexpr std::size_t near = 2 * native_machine::width;
    if (static_cast<std::size_t>(end - p) <= near) return find_special_narrow(p, end);
    for (std::size_t at = 0; at < near; at += native_machine::width)
        if (const std::uint64_t found = native_machine::specials(p + at); found != 0)
            return p + at + std::countr_zero(found);
    return find_special_far(p + near, end);
}

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/** Reads a number in parts. Accepts the grammar of JSON with an exponent of at most 2147483647, leading zeros of it not
    counted. */
class json_number
{
public:
    /// @return the end of the number, or of its part.
    [[nodiscard]] const char* feed(const char* p, const char* end) noexcept;
    /// True if the text so far is a number.
    [[nodiscard]] bool is_complete() const noexcept
    {
        return at_ == place::zero || at_ == place::digits || at_ == place::fraction || at_ == place::exponent;
    }
    [[nodiscard]] const char* problem() const noexcept
    {
        return exponent_overflows_ ? "exponent overflow" : "invalid number";
    }
    /// The value if it is a 64-bit integer in canonical form: not -0.
    [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;

private:
    enum class place : unsigned char
    {
        begin,
        minus,
        zero,
        digits,
        point,
        fraction,
        exponent_mark,
        exponent_sign,
        exponent,
        broken
    };

    /// The place after `c`; `broken` if the number ends before it.
    [[nodiscard]] place after(char c) noexcept;
    [[nodiscard]] place after_digit(unsigned digit) noexcept;

    place at_ = place::begin;
    bool negative_ = false;
    bool integer_overflows_ = false;
    bool exponent_overflows_ = false;
    std::uint64_t value_ = 0;
    std::uint32_t exponent_ = 0;
};

struct short_number
{
    /// 0: the text is something else.
    std::size_t size = 0;
    bool is_integer = false;
    std::int64_t value = 0;
};

[[nodiscard]] inline const char* skip_digits(const char* p, const char* end) noexcept
{
    while (p != end && is_digit(*p)) ++p;
    return p;
}

/// Reads a number that ends before `end`: at most 18 digits, then maybe a fraction, and an exponent of at most 9 digits.
[[nodiscard]] inline short_number read_short_number(const char* begin, const char* end) noexcept
{
    const auto limit = [end](const char* p, std::ptrdiff_t most) { return end - p > most ? p + most : end; };
    const bool negative = *begin == '-';
    const char* const first = begin + (negative ? 1 : 0);
    const char* last = limit(first, 18);
    std::int64_t v = 0;
    const char* p = first;
    for (; p != last && is_digit(*p); ++p) v = 10 * v + (*p - '0');
    if (p == last || p == first || (*first == '0' && p != first + 1)) return {};
    // -0 is no integer.
    bool is_integer = !(negative && v == 0);
    if (*p == '.') {
        is_integer = false;
        const char* const digits = p + 1;
        p = skip_digits(digits, end);
        if (p == end || p == digits) return {};
    }
    if (*p == 'e' || *p == 'E') {
        is_integer = false;
        const char* const digits = p + (p + 1 != end && (p[1] == '+' || p[1] == '-') ? 2 : 1);
        last = limit(digits, 9);
        p = skip_digits(digits, last);
        if (p == last || p == digits) return {};
    }
    return {static_cast<std::size_t>(p - begin), is_integer, negative ? -v : v};
}

/// Appends the text as a JSON string. Only what JSON demands is escaped.
void append_quoted(std::string& out, std::string_view text);

} // namespace kubecoro::detail
