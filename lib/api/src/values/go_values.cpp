#include "values/go_values.hpp"

#include <kubecoro/api/detail/quantity_text.hpp>
#include <kubecoro/api/quantity.hpp>

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

/// Takes numbers of two digits, but for the first one, each but the first behind the separator.
template<std::size_t N>
std::optional<std::array<int, N>> take_numbers(std::string_view& text, char separator, std::size_t first_width) noexcept
{
    std::array<int, N> out{};
    for (std::size_t i = 0; i < N; ++i) {
        if (i != 0 && !take(text, separator)) return std::nullopt;
        const auto value = take_number(text, i == 0 ? first_width : 2);
        if (!value) return std::nullopt;
        out[i] = *value;
    }
    return out;
}

struct fraction
{
    std::int32_t nanos = 0;
    std::size_t digits = 0;
};

/// Takes the fraction of a second, if there is one. Go takes a comma for a point.
std::optional<fraction> take_fraction(std::string_view& text) noexcept
{
    fraction out;
    if (!take(text, '.') && !take(text, ',')) return out;
    for (const char c : take_digits(text))
        if (out.digits++ < 9) out.nanos = out.nanos * 10 + (c - '0');
    if (out.digits == 0) return std::nullopt;
    for (auto n = out.digits; n < 9; ++n) out.nanos *= 10;
    return out;
}

/// Takes the offset from UTC, in seconds.
std::optional<std::int64_t> take_offset(std::string_view& text) noexcept
{
    if (take(text, 'Z')) return 0;
    const bool west = !text.empty() && text.front() == '-';
    if (!west && (text.empty() || text.front() != '+')) return std::nullopt;
    text.remove_prefix(1);
    const auto parts = take_numbers<2>(text, ':', 2);
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

/// Takes digits off the front. None above `most`.
std::optional<std::uint64_t> take_whole(std::string_view& text, std::uint64_t most) noexcept
{
    std::uint64_t whole = 0;
    for (const char c : take_digits(text)) {
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (digit > most || whole > (most - digit) / 10) return std::nullopt;
        whole = whole * 10 + digit;
    }
    return whole;
}

/// The part of a unit that the digits behind a point say, computed as Go does: the product is rounded once, then cut.
std::uint64_t part_of(std::uint64_t unit, std::string_view digits) noexcept
{
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    std::uint64_t value = 0;
    double scale = 1;
    for (const char c : digits) {
        if (value > most / 10) break;
        const std::uint64_t next = value * 10 + static_cast<std::uint64_t>(c - '0');
        if (next > most + 1) break;
        value = next;
        scale *= 10;
    }
    return static_cast<std::uint64_t>(static_cast<double>(value) * (static_cast<double>(unit) / scale));
}

/// Takes a decimal number and its unit off the front, in nanoseconds. None also above `most`.
std::optional<std::uint64_t> take_amount(std::string_view& text, std::uint64_t most) noexcept
{
    const std::size_t size = text.size();
    const auto whole = take_whole(text, most);
    const bool has_point = take(text, '.');
    const std::string_view digits = has_point ? take_digits(text) : std::string_view();
    const bool has_digits = size - text.size() > (has_point ? 1u : 0u);
    const std::uint64_t unit = has_digits ? take_unit(text) : 0;
    if (!whole || unit == 0 || *whole > most / unit) return std::nullopt;
    const std::uint64_t value = *whole * unit + part_of(unit, digits);
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

/// Takes the time of a day. Go reads an hour of one digit.
std::optional<std::int64_t> take_time_of_day(std::string_view& text) noexcept
{
    const auto hour_digits = text.size() > 1 && text[1] == ':' ? 1u : 2u;
    const auto time = take_numbers<3>(text, ':', hour_digits);
    if (!time || (*time)[0] > 23 || (*time)[1] > 59 || (*time)[2] > 59) return std::nullopt;
    return (*time)[0] * 3600 + (*time)[1] * 60 + (*time)[2];
}

enum class fraction_rule
{
    any,
    six_digits
};

std::optional<go_time> read_time(std::string_view text, fraction_rule rule) noexcept
{
    const auto date = take_numbers<3>(text, '-', 4);
    if (!date || !take(text, 'T')) return std::nullopt;
    const std::chrono::year_month_day day{std::chrono::year{(*date)[0]},
                                          std::chrono::month{static_cast<unsigned>((*date)[1])},
                                          std::chrono::day{static_cast<unsigned>((*date)[2])}};
    const auto seconds = take_time_of_day(text);
    const auto fraction = take_fraction(text);
    if (!day.ok() || !seconds || !fraction) return std::nullopt;
    if (rule == fraction_rule::six_digits && fraction->digits != 6) return std::nullopt;
    const auto offset = take_offset(text);
    if (!offset || !text.empty()) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days{day}.time_since_epoch().count();
    return go_time{days * 86400 + *seconds - *offset, fraction->nanos};
}

} // namespace

std::optional<go_time> read_time(std::string_view text) noexcept { return read_time(text, fraction_rule::any); }

std::optional<go_time> read_micro_time(std::string_view text) noexcept
{
    return read_time(text, fraction_rule::six_digits);
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
    const quantity_parts parts = split_quantity(text);
    const bool has_point = text.find('.') != text.npos;
    return is_quantity(text) && !parts.whole.empty() && parts.fraction.empty() != has_point;
}

namespace {

/// Whether Go keeps the text that it has read, instead of making one of the number.
bool keeps_text(const quantity_parts& parts, std::string_view whole)
{
    constexpr std::size_t most_digits = 18;
    constexpr int least_power = -9;
    if (parts.base == 2) {
        const bool exact =
            parts.fraction.empty() && whole.size() + static_cast<std::size_t>(parts.exponent) * 3 / 10 < 15;
        std::uint64_t value = 0;
        for (const char c : whole) value = value * 10 + static_cast<std::uint64_t>(c - '0');
        return exact && value % 8 != 0;
    }
    const auto power = parts.exponent - static_cast<int>(parts.fraction.size());
    const auto digits = std::string(whole) + std::string(parts.fraction);
    return digits.size() <= most_digits && power >= least_power && power % 3 == 0 && !digits.ends_with("000") &&
           digits.front() != '0';
}

} // namespace

std::optional<std::string> go_quantity(std::string_view text)
{
    constexpr std::string_view space = " \t\r\n\v\f";
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
    text = text.substr(0, text.find_last_not_of(space) + 1);
    const auto read = quantity::parse(text);
    if (!read) return std::nullopt;
    const auto parts = split_quantity(text);
    auto whole = parts.whole.substr(std::min(parts.whole.find_first_not_of('0'), parts.whole.size()));
    if (whole.empty()) whole = "0";
    return keeps_text(parts, whole) ? std::string(text) : read->canonical();
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
