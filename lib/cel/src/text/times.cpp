#include "text/times.hpp"

#include <kubecoro/api/go_duration.hpp>

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>

namespace kubecoro::cel::detail {

namespace {

constexpr std::int64_t day_seconds = 86'400;
constexpr std::int64_t second_nanoseconds = 1'000'000'000;

bool is_leap(std::int64_t year) noexcept { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(std::int64_t year, int month) noexcept
{
    constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[static_cast<std::size_t>(month - 1)];
}

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Takes a number of exactly `digits` digits.
std::optional<int> take_number(std::string_view& text, std::size_t digits)
{
    if (text.size() < digits) return std::nullopt;
    int out = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        if (!is_digit(text[i])) return std::nullopt;
        out = out * 10 + (text[i] - '0');
    }
    text.remove_prefix(digits);
    return out;
}

bool take(std::string_view& text, char c) noexcept
{
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

/// Takes a fraction of a second, which may be missing. Digits behind the ninth are ignored.
std::optional<std::int32_t> take_fraction(std::string_view& text)
{
    if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !is_digit(text[1])) return 0;
    text.remove_prefix(1);
    std::int32_t out = 0;
    int digits = 0;
    for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1))
        if (digits++ < 9) out = out * 10 + (text[0] - '0');
    for (; digits < 9; ++digits) out *= 10;
    return out;
}

/// Takes what stands behind the time: `Z`, or an offset in seconds.
std::optional<std::int64_t> take_offset(std::string_view& text)
{
    if (take(text, 'Z')) return 0;
    const bool minus = text.starts_with('-');
    if (!minus && !text.starts_with('+')) return std::nullopt;
    text.remove_prefix(1);
    const auto hours = take_number(text, 2);
    if (!hours || !take(text, ':')) return std::nullopt;
    const auto minutes = take_number(text, 2);
    if (!minutes || *hours > 24 || *minutes > 60) return std::nullopt;
    const std::int64_t offset = (*hours * 60 + *minutes) * 60;
    return minus ? -offset : offset;
}

std::optional<std::int64_t> take_day(std::string_view& text)
{
    const auto year = take_number(text, 4);
    if (!year || !take(text, '-')) return std::nullopt;
    const auto month = take_number(text, 2);
    if (!month || !take(text, '-')) return std::nullopt;
    const auto day = take_number(text, 2);
    if (!day || *month < 1 || *month > 12 || *day < 1 || *day > days_in(*year, *month)) return std::nullopt;
    return days_to(*year, *month, *day) * day_seconds;
}

void append_fraction(std::string& out, std::int64_t nanoseconds)
{
    if (nanoseconds == 0) return;
    char digits[16];
    std::snprintf(digits, sizeof digits, "%09lld", static_cast<long long>(nanoseconds));
    std::string_view text(digits, 9);
    while (text.ends_with('0')) text.remove_suffix(1);
    out += '.';
    out += text;
}

struct unit_word
{
    std::string_view word;
    std::int64_t nanoseconds;
};

constexpr unit_word unit_words[] = {{"ns", 1},
                                    {"nano", 1},
                                    {"us", 1'000},
                                    {"µs", 1'000},
                                    {"micro", 1'000},
                                    {"ms", 1'000'000},
                                    {"milli", 1'000'000},
                                    {"s", second_nanoseconds},
                                    {"sec", second_nanoseconds},
                                    {"m", 60 * second_nanoseconds},
                                    {"min", 60 * second_nanoseconds},
                                    {"h", 3600 * second_nanoseconds},
                                    {"hr", 3600 * second_nanoseconds},
                                    {"hour", 3600 * second_nanoseconds},
                                    {"d", day_seconds* second_nanoseconds},
                                    {"day", day_seconds* second_nanoseconds},
                                    {"w", 7 * day_seconds* second_nanoseconds},
                                    {"wk", 7 * day_seconds* second_nanoseconds},
                                    {"week", 7 * day_seconds* second_nanoseconds}};

std::optional<std::int64_t> nanoseconds_of_word(std::string_view word)
{
    for (const auto& unit : unit_words)
        if (unit.word == word) return unit.nanoseconds;
    if (word.size() > 2 && word.ends_with('s')) {
        word.remove_suffix(1);
        for (const auto& unit : unit_words)
            if (unit.word == word && unit.word.size() > 2) return unit.nanoseconds;
    }
    return std::nullopt;
}

} // namespace

std::int64_t days_to(std::int64_t year, int month, int day) noexcept
{
    // Years that begin in March, so that the day of a leap year is the last one.
    year -= month <= 2 ? 1 : 0;
    const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
    const std::int64_t year_of_era = year - era * 400;
    const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

civil_time civil_of(std::int64_t seconds) noexcept
{
    std::int64_t days = seconds / day_seconds;
    std::int64_t rest = seconds % day_seconds;
    if (rest < 0) {
        rest += day_seconds;
        --days;
    }
    civil_time out;
    out.hour = static_cast<int>(rest / 3600);
    out.minute = static_cast<int>(rest % 3600 / 60);
    out.second = static_cast<int>(rest % 60);
    out.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
    const std::int64_t shifted = days + 719'468;
    const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
    const std::int64_t day_of_era = shifted - era * 146'097;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t month = (5 * day_of_year + 2) / 153;
    out.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
    out.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
    out.year = year_of_era + era * 400 + (out.month <= 2 ? 1 : 0);
    out.day_of_year = static_cast<int>(days - days_to(out.year, 1, 1));
    return out;
}

std::optional<instant> parse_instant(std::string_view text)
{
    const auto day = take_day(text);
    if (!day || !take(text, 'T')) return std::nullopt;
    const auto hour = take_number(text, text.size() > 1 && text[1] == ':' ? 1 : 2);
    if (!hour || !take(text, ':')) return std::nullopt;
    const auto minute = take_number(text, 2);
    if (!minute || !take(text, ':')) return std::nullopt;
    const auto second = take_number(text, 2);
    if (!second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
    const auto fraction = take_fraction(text);
    const auto offset = take_offset(text);
    if (!fraction || !offset || !text.empty()) return std::nullopt;
    return instant{*day + *hour * 3600 + *minute * 60 + *second - *offset, *fraction};
}

std::optional<instant> parse_day(std::string_view text)
{
    const auto day = take_day(text);
    if (!day || !text.empty()) return std::nullopt;
    return instant{*day, 0};
}

std::string write_instant(instant time, std::string_view offset)
{
    const auto zone = zone_offset(offset, time.seconds).value_or(0);
    const auto civil = civil_of(time.seconds + zone);
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%04lld-%02d-%02dT%02d:%02d:%02d", static_cast<long long>(civil.year),
                  civil.month, civil.day, civil.hour, civil.minute, civil.second);
    std::string out = buffer;
    append_fraction(out, time.nanoseconds);
    return zone == 0 ? out + 'Z' : out.append(offset);
}

std::optional<std::int64_t> parse_length(std::string_view text)
{
    auto parsed = go_duration::parse(text);
    if (!parsed) return std::nullopt;
    return parsed->length().count();
}

std::optional<std::int64_t> parse_schema_length(std::string_view text)
{
    if (const auto plain = parse_length(text)) return plain;
    std::int64_t total = 0;
    bool any = false;
    while (!text.empty()) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || number < 0) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        while (text.starts_with(' ')) text.remove_prefix(1);
        std::size_t letters = 0;
        while (letters < text.size() && !is_digit(text[letters]) && text[letters] != ' ') ++letters;
        const auto unit = nanoseconds_of_word(text.substr(0, letters));
        std::int64_t part = 0;
        if (!unit || __builtin_mul_overflow(number, *unit, &part) || __builtin_add_overflow(total, part, &total))
            return std::nullopt;
        text.remove_prefix(letters);
        while (text.starts_with(' ')) text.remove_prefix(1);
        any = true;
    }
    if (!any) return std::nullopt;
    return total;
}

std::string write_length(std::int64_t nanoseconds)
{
    // As a number without sign: the smallest one has no positive counterpart.
    const auto size =
        nanoseconds < 0 ? 0 - static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
    std::string out = nanoseconds < 0 ? "-" : "";
    out += std::to_string(size / second_nanoseconds);
    append_fraction(out, static_cast<std::int64_t>(size % second_nanoseconds));
    return out + 's';
}

} // namespace kubecoro::cel::detail
