#include "validation/formats.hpp"

#include <kubecoro/api/go_duration.hpp>

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>

namespace kubecoro::detail {

namespace {

std::string in_small_letters(std::string_view text)
{
    std::string out(text);
    for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

/// A unit is one of the words, or begins with the last of its row.
bool is_unit(std::string_view text)
{
    constexpr std::array<std::array<std::string_view, 3>, 8> units{{{"ns", "ns", "nano"},
                                                                    {"us", "\u00b5s", "micro"},
                                                                    {"ms", "ms", "milli"},
                                                                    {"s", "s", "sec"},
                                                                    {"m", "m", "min"},
                                                                    {"h", "hr", "hour"},
                                                                    {"d", "d", "day"},
                                                                    {"w", "wk", "week"}}};
    return std::ranges::any_of(
        units, [&](const auto& row) { return text == row[0] || text == row[1] || text.starts_with(row[2]); });
}

} // namespace

bool is_date_format(std::string_view text)
{
    static const re2::RE2 form("^([0-9]{4})-([0-9]{2})-([0-9]{2})$");
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    const auto number = [&](std::size_t at, std::size_t size, auto& out) {
        std::from_chars(text.data() + at, text.data() + at + size, out);
    };
    if (!re2::RE2::PartialMatch({text.data(), text.size()}, form)) return false;
    number(0, 4, year);
    number(5, 2, month);
    number(8, 2, day);
    return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)).ok();
}

bool is_date_time_format(std::string_view text)
{
    static const re2::RE2 form("^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$");
    const auto small = in_small_letters(text);
    const auto t = small.find('t');
    if (t == std::string::npos || !is_date_format(std::string_view(small).substr(0, t))) return false;
    // As the server: what follows a second T is not looked at.
    const auto end = small.find('t', t + 1);
    const auto time = small.substr(t + 1, end == std::string::npos ? end : end - t - 1);
    return re2::RE2::PartialMatch(time, form) && time.substr(0, 2) <= "23" && time.substr(3, 2) <= "59" &&
           time.substr(6, 2) <= "59";
}

bool is_duration_format(std::string_view text)
{
    if (go_duration::parse(text)) return true;
    static const re2::RE2 form(R"((\d+)\s*([A-Za-zµ]+))");
    re2::StringPiece rest(text.data(), text.size());
    std::string number;
    std::string unit;
    bool any = false;
    while (re2::RE2::FindAndConsume(&rest, form, &number, &unit)) {
        std::int64_t value = 0;
        const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
        if (parsed.ec != std::errc()) return false;
        any = any || is_unit(in_small_letters(unit));
    }
    return any;
}

} // namespace kubecoro::detail
