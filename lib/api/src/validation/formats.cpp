#include <kubecoro/api/detail/formats.hpp>

#include <kubecoro/api/go_duration.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <re2/re2.h>
#include <string>

namespace kubecoro::detail {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool fits(std::string_view text, const re2::RE2& expression)
{
    return re2::RE2::PartialMatch({text.data(), text.size()}, expression);
}

bool is_hostname(std::string_view text)
{
    // The server's expression also counts characters, up to limits that the lengths below imply.
    static const re2::RE2 name(
        R"(^([a-zA-Z0-9\pS\pL]-?[a-zA-Z0-9\pS\pL]*|)"
        R"(([a-zA-Z0-9\pS\pL]([-a-zA-Z0-9\pS\pL]*[a-zA-Z0-9\pS\pL])?\.)+[a-zA-Z\pL][a-zA-Z\pL]+)$)");
    if (text.size() > 255 || !fits(text, name)) return false;
    while (true) {
        const auto dot = text.find('.');
        if (text.substr(0, dot).size() > 63) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

bool is_uuid(std::string_view text)
{
    static const re2::RE2 form("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
    return fits(text, form);
}

bool is_uuid3(std::string_view text)
{
    static const re2::RE2 form("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
    return fits(text, form);
}

bool is_uuid4(std::string_view text)
{
    static const re2::RE2 form("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
    return fits(text, form);
}

bool is_uuid5(std::string_view text)
{
    static const re2::RE2 form("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
    return fits(text, form);
}

/// Without spaces and dashes.
std::string isbn_digits(std::string_view text)
{
    static const re2::RE2 filling(R"([\s-]+)");
    std::string out(text);
    re2::RE2::GlobalReplace(&out, filling, "");
    return out;
}

bool is_isbn10(std::string_view text)
{
    static const re2::RE2 form("^(?:[0-9]{9}X|[0-9]{10})$");
    const auto digits = isbn_digits(text);
    if (!fits(digits, form)) return false;
    int sum = digits[9] == 'X' ? 100 : 10 * (digits[9] - '0');
    for (int i = 0; i < 9; ++i) sum += (i + 1) * (digits[static_cast<std::size_t>(i)] - '0');
    return sum % 11 == 0;
}

bool is_isbn13(std::string_view text)
{
    static const re2::RE2 form("^(?:[0-9]{13})$");
    const auto digits = isbn_digits(text);
    if (!fits(digits, form)) return false;
    int sum = 0;
    for (std::size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
    return digits[12] - '0' == (10 - sum % 10) % 10;
}

bool is_isbn(std::string_view text) { return is_isbn10(text) || is_isbn13(text); }

bool is_credit_card(std::string_view text)
{
    static const re2::RE2 form("^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|"
                               R"(3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)");
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), is_digit);
    if (!fits(digits, form)) return false;
    int sum = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const int digit = digits[digits.size() - 1 - i] - '0';
        sum += i % 2 == 0 ? digit : 2 * digit % 10 + digit / 5;
    }
    return sum % 10 == 0;
}

bool is_ssn(std::string_view text)
{
    static const re2::RE2 form(R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)");
    return text.size() == 11 && fits(text, form);
}

bool is_hex_color(std::string_view text)
{
    static const re2::RE2 form("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
    return fits(text, form);
}

bool is_rgb_color(std::string_view text)
{
    static const re2::RE2 form([] {
        const std::string part = R"(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*)";
        return R"(^rgb\()" + part + ',' + part + ',' + part + R"(\)$)";
    }());
    return fits(text, form);
}

bool is_base64(std::string_view text)
{
    static const re2::RE2 form("^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$");
    return fits(text, form);
}

bool is_object_id(std::string_view text)
{
    static const re2::RE2 form("^[0-9a-fA-F]{24}$");
    return fits(text, form);
}

bool is_short_name(std::string_view text)
{
    static const re2::RE2 form("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
    return text.size() <= 63 && fits(text, form);
}

bool is_long_name(std::string_view text)
{
    static const re2::RE2 form(R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)");
    return text.size() <= 253 && fits(text, form);
}

bool is_any(std::string_view) { return true; }

struct known_format
{
    std::string_view name;
    format_check check;
};

constexpr std::array formats{known_format{"bsonobjectid", is_object_id},
                             known_format{"byte", is_base64},
                             known_format{"cidr", is_cidr_format},
                             known_format{"creditcard", is_credit_card},
                             known_format{"date", is_date_format},
                             known_format{"datetime", is_date_time_format},
                             known_format{"duration", is_duration_format},
                             known_format{"email", is_email_format},
                             known_format{"hexcolor", is_hex_color},
                             known_format{"hostname", is_hostname},
                             known_format{"ipv4", is_ipv4_format},
                             known_format{"ipv6", is_ipv6_format},
                             known_format{"isbn", is_isbn},
                             known_format{"isbn10", is_isbn10},
                             known_format{"isbn13", is_isbn13},
                             known_format{"k8slongname", is_long_name},
                             known_format{"k8sshortname", is_short_name},
                             known_format{"mac", is_mac_format},
                             known_format{"password", is_any},
                             known_format{"rgbcolor", is_rgb_color},
                             known_format{"ssn", is_ssn},
                             known_format{"uri", is_uri_format},
                             known_format{"uuid", is_uuid},
                             known_format{"uuid3", is_uuid3},
                             known_format{"uuid4", is_uuid4},
                             known_format{"uuid5", is_uuid5}};

} // namespace

format_check format_named(std::string_view name)
{
    std::string plain;
    std::ranges::copy_if(name, std::back_inserter(plain), [](char c) { return c != '-'; });
    const auto found = std::ranges::find(formats, plain, &known_format::name);
    return found == formats.end() ? nullptr : found->check;
}

namespace {

bool is_hex(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// A decimal number of any length up to the limit; nothing else.
std::optional<unsigned> small_number(std::string_view text, unsigned limit)
{
    unsigned value = 0;
    if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value > limit) return std::nullopt;
    return value;
}

bool is_dotted(std::string_view text)
{
    for (int part = 0; part < 3; ++part) {
        const auto dot = text.find('.');
        if (dot == std::string_view::npos || !small_number(text.substr(0, dot), 255)) return false;
        text.remove_prefix(dot + 1);
    }
    return small_number(text, 255).has_value();
}

bool is_colons(std::string_view text)
{
    in6_addr parsed{};
    return text.find('\0') == std::string_view::npos && inet_pton(AF_INET6, std::string(text).c_str(), &parsed) == 1;
}

/// With leading zeros in the dotted part, if there is one.
bool is_sloppy_ipv6(std::string_view text)
{
    const auto colon = text.rfind(':');
    if (text.find('.') == std::string_view::npos || colon == std::string_view::npos) return is_colons(text);
    return is_dotted(text.substr(colon + 1)) && is_colons(std::string(text.substr(0, colon + 1)) + "1.2.3.4");
}

/// The length of the addresses in bits; 0 if it is no address.
unsigned sloppy_bits(std::string_view text)
{
    const auto mark = text.find_first_of(".:");
    if (mark == std::string_view::npos) return 0;
    if (text[mark] == '.') return is_dotted(text) ? 32 : 0;
    return is_sloppy_ipv6(text) ? 128 : 0;
}

} // namespace

bool is_ipv4_format(std::string_view text)
{
    return text.find('.') != std::string_view::npos && sloppy_bits(text) != 0;
}

bool is_ipv6_format(std::string_view text) { return text.find(':') != std::string_view::npos && is_colons(text); }

bool is_cidr_format(std::string_view text)
{
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const auto bits = sloppy_bits(text.substr(0, slash));
    return bits != 0 && small_number(text.substr(slash + 1), bits).has_value();
}

bool is_mac_format(std::string_view text)
{
    const auto is_length = [](std::size_t bytes) { return bytes == 6 || bytes == 8 || bytes == 20; };
    if (std::ranges::all_of(text, is_hex)) return text.size() % 2 == 0 && is_length(text.size() / 2);
    // 01:23:..., 01-23-... or 0123.4567....
    const std::size_t group = text.size() > 2 && (text[2] == ':' || text[2] == '-') ? 2 : 4;
    if (text.size() <= group || (group == 4 && text[4] != '.') || (text.size() + 1) % (group + 1) != 0) return false;
    if (!is_length((text.size() + 1) / (group + 1) * group / 2)) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool between = i % (group + 1) == group;
        if (between ? text[i] != text[group] : !is_hex(text[i])) return false;
    }
    return true;
}

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
