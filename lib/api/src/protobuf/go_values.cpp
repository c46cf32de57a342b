#include "protobuf/go_values.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace kubecoro::detail {
namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Takes exactly this many digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) noexcept
{
    if (text.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        if (!is_digit(text[i])) return std::nullopt;
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(digits);
    return value;
}

bool take(std::string_view& text, char wanted) noexcept
{
    if (text.empty() || text.front() != wanted) return false;
    text.remove_prefix(1);
    return true;
}

void take_sign(std::string_view& text) noexcept
{
    if (!take(text, '-')) take(text, '+');
}

/// Takes all digits off the front. Returns their number.
std::size_t take_digits(std::string_view& text) noexcept
{
    std::size_t n = 0;
    while (n < text.size() && is_digit(text[n])) ++n;
    text.remove_prefix(n);
    return n;
}

/// Takes numbers of the given widths, each but the first behind its separator.
template<std::size_t N>
std::optional<std::array<int, N>> take_numbers(std::string_view& text, const std::array<char, N>& separators,
                                               std::size_t first_width) noexcept
{
    std::array<int, N> out{};
    for (std::size_t i = 0; i < N; ++i) {
        if (i != 0 && !take(text, separators[i])) return std::nullopt;
        const auto value = take_number(text, i == 0 ? first_width : 2);
        if (!value) return std::nullopt;
        out[i] = *value;
    }
    return out;
}

std::optional<std::int32_t> take_fraction(std::string_view& text) noexcept
{
    if (!take(text, '.')) return 0;
    std::int32_t nanos = 0;
    std::size_t digits = 0;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits)
        if (digits < 9) nanos = nanos * 10 + (text.front() - '0');
    if (digits == 0) return std::nullopt;
    for (; digits < 9; ++digits) nanos *= 10;
    return nanos;
}

/// Takes the offset from UTC, in seconds.
std::optional<std::int64_t> take_offset(std::string_view& text) noexcept
{
    if (take(text, 'Z')) return 0;
    const bool west = !text.empty() && text.front() == '-';
    if (!west && (text.empty() || text.front() != '+')) return std::nullopt;
    text.remove_prefix(1);
    const auto parts = take_numbers<2>(text, {0, ':'}, 2);
    if (!parts || (*parts)[0] > 24 || (*parts)[1] > 60) return std::nullopt;
    const std::int64_t seconds = (*parts)[0] * 3600 + (*parts)[1] * 60;
    return west ? -seconds : seconds;
}

/// Takes the unit's name off the front. Returns its nanoseconds; 0 if there is none.
std::uint64_t take_unit(std::string_view& text) noexcept
{
    constexpr std::pair<std::string_view, std::uint64_t> units[] = {
        {"ns", 1},         {"us", 1'000},        {"\u00b5s", 1'000},    {"\u03bcs", 1'000},
        {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};
    for (const auto& [name, nanos] : units) {
        if (!text.starts_with(name)) continue;
        text.remove_prefix(name.size());
        return nanos;
    }
    return 0;
}

/// Takes a decimal number and its unit off the front, in nanoseconds. None also above `most`.
std::optional<std::uint64_t> take_amount(std::string_view& text, std::uint64_t most) noexcept
{
    std::uint64_t whole = 0;
    bool any = false;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), any = true) {
        if (whole > most / 10) return std::nullopt;
        whole = whole * 10 + static_cast<std::uint64_t>(text.front() - '0');
    }
    double fraction = 0;
    if (take(text, '.'))
        for (double place = 0.1; !text.empty() && is_digit(text.front()); text.remove_prefix(1), any = true) {
            fraction += place * (text.front() - '0');
            place /= 10;
        }
    const std::uint64_t unit = any ? take_unit(text) : 0;
    if (unit == 0 || whole > most / unit) return std::nullopt;
    // Rounded: the digits of a fraction that Go wrote are nanoseconds exactly.
    const std::uint64_t value = whole * unit + static_cast<std::uint64_t>(fraction * static_cast<double>(unit) + 0.5);
    if (value > most) return std::nullopt;
    return value;
}

int base64_digit(char c) noexcept
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (is_digit(c)) return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

} // namespace

std::optional<go_time> read_time(std::string_view text) noexcept
{
    const auto date = take_numbers<3>(text, {0, '-', '-'}, 4);
    if (!date || !take(text, 'T')) return std::nullopt;
    const auto time = take_numbers<3>(text, {0, ':', ':'}, 2);
    if (!time || (*time)[0] > 23 || (*time)[1] > 59 || (*time)[2] > 59) return std::nullopt;
    const std::chrono::year_month_day day{std::chrono::year{(*date)[0]},
                                          std::chrono::month{static_cast<unsigned>((*date)[1])},
                                          std::chrono::day{static_cast<unsigned>((*date)[2])}};
    if (!day.ok()) return std::nullopt;
    const auto nanos = take_fraction(text);
    if (!nanos) return std::nullopt;
    const auto offset = take_offset(text);
    if (!offset || !text.empty()) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days{day}.time_since_epoch().count();
    return go_time{days * 86400 + (*time)[0] * 3600 + (*time)[1] * 60 + (*time)[2] - *offset, *nanos};
}

bool has_micros(std::string_view text) noexcept
{
    constexpr std::size_t seconds_end = std::string_view("1970-01-01T00:00:00").size();
    constexpr std::size_t micros_end = seconds_end + std::string_view(".000000").size();
    return text.size() > micros_end && text[seconds_end] == '.' &&
           text.find_first_not_of("0123456789", seconds_end + 1) == micros_end;
}

std::optional<std::int64_t> read_duration(std::string_view text) noexcept
{
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool negative = !text.empty() && text.front() == '-';
    if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
    if (text == "0") return 0;
    if (text.empty()) return std::nullopt;
    // The least value has no positive one.
    const std::uint64_t most = negative ? largest + 1 : largest;
    std::uint64_t sum = 0;
    while (!text.empty()) {
        const auto amount = take_amount(text, most - sum);
        if (!amount) return std::nullopt;
        sum += *amount;
    }
    return static_cast<std::int64_t>(negative ? ~sum + 1 : sum);
}

bool is_plain_quantity(std::string_view text) noexcept
{
    take_sign(text);
    if (take_digits(text) == 0 || (take(text, '.') && take_digits(text) == 0)) return false;
    constexpr std::string_view suffixes[] = {"",  "n", "u",  "m",  "k",  "M",  "G",  "T",
                                             "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    if (std::ranges::find(suffixes, text) != std::end(suffixes)) return true;
    if (!take(text, 'e') && !take(text, 'E')) return false;
    take_sign(text);
    constexpr std::size_t longest_exponent = 3;
    const std::size_t digits = take_digits(text);
    return digits > 0 && digits <= longest_exponent && text.empty();
}

bool append_decoded_base64(std::string& out, std::string_view text)
{
    out.reserve(out.size() + text.size() / 4 * 3);
    std::uint32_t group = 0;
    std::size_t digits = 0;
    std::size_t padding = 0;
    for (const char c : text) {
        if (c == '\n' || c == '\r') continue;
        if (c == '=') {
            ++padding;
            continue;
        }
        const int digit = base64_digit(c);
        if (digit < 0 || padding != 0) return false;
        group = group << 6 | static_cast<std::uint32_t>(digit);
        if (++digits % 4 != 0) continue;
        for (const int shift : {16, 8, 0}) out += static_cast<char>(group >> shift);
        group = 0;
    }
    const std::size_t rest = digits % 4;
    if (rest == 1 || padding != (rest == 0 ? 0 : 4 - rest)) return false;
    if (rest >= 2) out += static_cast<char>(group >> (rest == 2 ? 4 : 10));
    if (rest == 3) out += static_cast<char>(group >> 2);
    return true;
}

} // namespace kubecoro::detail
