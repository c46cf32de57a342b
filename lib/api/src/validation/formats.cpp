#include "validation/formats.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
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

} // namespace kubecoro::detail
