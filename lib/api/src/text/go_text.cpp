#include "text/go_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace kubecoro::detail {
namespace {

constexpr std::int64_t seconds_per_day = 86400;
constexpr std::int64_t nanos_per_second = 1'000'000'000;

void append_padded(std::string& out, std::int64_t value, std::size_t width)
{
    std::array<char, 24> digits{};
    if (value < 0) out += '-';
    const auto end = std::to_chars(digits.begin(), digits.end(), value < 0 ? -value : value).ptr;
    const auto size = static_cast<std::size_t>(end - digits.begin());
    if (size < width) out.append(width - size, '0');
    out.append(digits.begin(), end);
}

/// Appends a fraction without trailing zeros, with its point; nothing for 0.
void append_fraction(std::string& out, std::uint64_t value, std::size_t digits)
{
    if (value == 0) return;
    out += '.';
    append_padded(out, static_cast<std::int64_t>(value), digits);
    while (out.back() == '0') out.pop_back();
}

struct civil_date
{
    std::int64_t year;
    std::int64_t month;
    std::int64_t day;
};

/// The quotient, rounded down.
constexpr std::int64_t divide(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }

/// The date of a day after 1970-01-01, in the Gregorian calendar of all years. std::chrono ends at the year 32767, and
/// the wire may hold any number.
constexpr civil_date date_of(std::int64_t day) noexcept
{
    // Years that begin in March, in eras of 400 years: the leap day is the last of its year.
    constexpr std::int64_t era_days = 146097;
    const std::int64_t from_march = day + 719468;
    const std::int64_t era = divide(from_march, era_days);
    const std::int64_t of_era = from_march - era * era_days;
    const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    const std::int64_t month = (5 * of_year + 2) / 153;
    return {year + era * 400 + (month < 10 ? 0 : 1), month + (month < 10 ? 3 : -9),
            of_year - (153 * month + 2) / 5 + 1};
}

void put_pair(char* to, unsigned value) noexcept
{
    to[0] = static_cast<char>('0' + value / 10);
    to[1] = static_cast<char>('0' + value % 10);
}

/// Writes digits d.ddd with this exponent in full.
std::string plain_number(std::string_view digits, int exponent)
{
    std::string out;
    if (exponent < 0) {
        out.assign("0.").append(static_cast<std::size_t>(-exponent - 1), '0');
        return out.append(digits);
    }
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    out = digits.substr(0, whole);
    if (out.size() < whole) out.append(whole - out.size(), '0');
    if (digits.size() > whole) out.append(".").append(digits.substr(whole));
    return out;
}

} // namespace

const std::string& time_texts::date_text(std::int64_t day)
{
    date& known = dates_[static_cast<std::uint64_t>(day) % dates_.size()];
    if (known.day == day && !known.text.empty()) return known.text;
    const civil_date parts = date_of(day);
    known.text.clear();
    append_padded(known.text, parts.year, 4);
    std::array<char, 8> rest{"-00-00T"};
    put_pair(rest.data() + 1, static_cast<unsigned>(parts.month));
    put_pair(rest.data() + 4, static_cast<unsigned>(parts.day));
    known.day = day;
    return known.text += rest.data();
}

void time_texts::write_seconds(std::int64_t seconds)
{
    const std::int64_t day = divide(seconds, seconds_per_day);
    if (date_size_ == 0 || day != day_) {
        text_ = date_text(day);
        date_size_ = text_.size();
        day_ = day;
    }
    const std::int64_t rest = seconds % seconds_per_day;
    const auto within = static_cast<unsigned>(rest < 0 ? rest + seconds_per_day : rest);
    text_.resize(date_size_ + 8, ':');
    char* const time = text_.data() + date_size_;
    put_pair(time, within / 3600);
    put_pair(time + 3, within / 60 % 60);
    put_pair(time + 6, within % 60);
}

std::string_view time_texts::time(std::int64_t seconds)
{
    write_seconds(seconds);
    return text_ += 'Z';
}

std::string_view time_texts::micro_time(std::int64_t seconds, std::int32_t nanos)
{
    // Go carries what is beyond a second, and wraps at the ends of its range.
    const std::int64_t carried = divide(nanos, nanos_per_second);
    const auto all = static_cast<std::uint64_t>(seconds) + static_cast<std::uint64_t>(carried);
    write_seconds(static_cast<std::int64_t>(all));
    text_ += '.';
    append_padded(text_, (nanos - carried * nanos_per_second) / 1000, 6);
    return text_ += 'Z';
}

std::string duration_text(std::int64_t nanos)
{
    if (nanos == 0) return "0s";
    std::string out(nanos < 0 ? "-" : "");
    // The magnitude of the least value has no int64.
    const std::uint64_t n = nanos < 0 ? ~static_cast<std::uint64_t>(nanos) + 1 : static_cast<std::uint64_t>(nanos);
    const auto whole = [&out](std::uint64_t value) { out += std::to_string(value); };
    if (n < 1'000) {
        whole(n);
        return out += "ns";
    }
    if (n < 1'000'000) {
        whole(n / 1'000);
        append_fraction(out, n % 1'000, 3);
        return out += "\u00b5s";
    }
    if (n < 1'000'000'000) {
        whole(n / 1'000'000);
        append_fraction(out, n % 1'000'000, 6);
        return out += "ms";
    }
    const std::uint64_t seconds = n / 1'000'000'000;
    if (seconds >= 3600) {
        whole(seconds / 3600);
        out += 'h';
    }
    if (seconds >= 60) {
        whole(seconds / 60 % 60);
        out += 'm';
    }
    whole(seconds % 60);
    append_fraction(out, n % 1'000'000'000, 9);
    return out += 's';
}

std::optional<std::string> real_text(double value)
{
    if (!std::isfinite(value)) return std::nullopt;
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.begin(), buffer.end(), std::abs(value), std::chars_format::scientific).ptr;
    const std::string_view shortest(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const auto e = shortest.find('e');
    int exponent = 0;
    std::from_chars(shortest.data() + e + (shortest[e + 1] == '+' ? 2 : 1), end, exponent);
    std::string out(std::signbit(value) ? "-" : "");
    if (exponent >= -6 && exponent <= 20) {
        std::string digits(shortest.substr(0, e));
        std::erase(digits, '.');
        return out + plain_number(digits, exponent);
    }
    out += shortest;
    // Go writes 1e-7, not 1e-07.
    if (const auto at = out.find("e-0"); at != std::string::npos) out.erase(at + 2, 1);
    return out;
}

void append_base64(std::string& out, std::string_view bytes)
{
    static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += k <= n ? letters[group >> (18 - 6 * k) & 63] : '=';
    }
}

} // namespace kubecoro::detail
