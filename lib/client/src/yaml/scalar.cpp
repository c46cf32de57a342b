#include "yaml/document.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/utf8.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

using resolved = boost::system::result<json::value, problem_words>;

constexpr std::string_view core = "tag:yaml.org,2002:";

enum class type
{
    null,
    boolean,
    integer,
    real,
    timestamp,
    text,
};

constexpr std::array<std::string_view, 6> names{"!!null", "!!bool", "!!int", "!!float", "!!timestamp", "!!str"};

struct typed
{
    type is;
    json::value value;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Words that stand for values.
std::optional<typed> word(std::string_view text)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return typed{type::null, nullptr};
    if (is_one_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}))
        return typed{type::boolean, true};
    if (is_one_of(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}))
        return typed{type::boolean, false};
    if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return typed{type::real, std::numeric_limits<double>::quiet_NaN()};
    if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) return typed{type::real, infinity};
    if (is_one_of(text, {"-.inf", "-.Inf", "-.INF"})) return typed{type::real, -infinity};
    return std::nullopt;
}

/// Whether an underscore of a number in Go's syntax stands between digits.
bool has_sound_underscores(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '_' && (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])))
            return false;
    return true;
}

std::string without_underscores(std::string_view text)
{
    std::string out(text);
    std::erase(out, '_');
    return out;
}

/// Reads digits as Go's ParseInt and ParseUint do with base 0: 0x, 0o, 0b in either case, and 0 for octal numbers.
std::optional<json::value> integer(std::string_view text)
{
    bool negative = text.front() == '-';
    bool has_sign = negative || text.front() == '+';
    std::string_view digits = text.substr(has_sign ? 1 : 0);
    int base = 10;
    if (digits.size() > 1 && digits[0] == '0') {
        const char mark = static_cast<char>(digits[1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        digits.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
        // go-yaml also takes a sign behind the prefix, of binary numbers alone.
        if (text.starts_with("0b") && (digits.starts_with('-') || digits.starts_with('+'))) {
            has_sign = true;
            negative = digits.front() == '-';
            digits.remove_prefix(1);
        }
    }
    std::uint64_t magnitude = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
    if (digits.empty() || ec != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (negative && magnitude <= most + 1) return json::value(static_cast<std::int64_t>(0 - magnitude));
    if (negative || (has_sign && magnitude > most)) return std::nullopt; // ParseUint takes no sign
    if (magnitude > most) return json::value(magnitude);
    return json::value(static_cast<std::int64_t>(magnitude));
}

/// True for a number that is too large for a double, false for one too small. @param text  [digits][.digits][e[+-]digits]
bool is_too_large(std::string_view text)
{
    const auto e = std::min(text.find_first_of("eE"), text.size());
    const auto mantissa = text.substr(0, e);
    const auto point = std::min(mantissa.find('.'), mantissa.size());
    const auto first = mantissa.find_first_of("123456789");
    std::string_view exponent = text.substr(std::min(e + 1, text.size()));
    const bool shrinks = exponent.starts_with('-');
    if (shrinks || exponent.starts_with('+')) exponent.remove_prefix(1);
    std::int64_t power = 0;
    if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec == std::errc::result_out_of_range)
        return !shrinks;
    return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + (shrinks ? -power : power) > 0;
}

/// Reads [+-] digits and a fraction, or a fraction alone, and an exponent. A number beyond doubles is none; one too small is 0.
std::optional<double> real(std::string_view text)
{
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const auto digits_at = [&](std::size_t at) {
        return std::min(text.find_first_not_of("0123456789", at), text.size()) - at;
    };
    auto at = digits_at(0);
    const bool whole = at != 0;
    if (at < text.size() && text[at] == '.') {
        const auto fraction = digits_at(at + 1);
        if (!whole && fraction == 0) return std::nullopt;
        at += 1 + fraction;
    } else if (!whole) {
        return std::nullopt;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        const auto exponent = digits_at(at);
        if (exponent == 0) return std::nullopt;
        at += exponent;
    }
    if (at != text.size()) return std::nullopt;
    double value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec == std::errc::result_out_of_range) {
        if (is_too_large(text)) return std::nullopt;
        value = 0;
    }
    return negative ? -value : value;
}

/// One or two digits up to `most`, taken off the text.
bool take_number(std::string_view& text, unsigned most, unsigned& out)
{
    out = 0;
    std::size_t digits = 0;
    for (; digits < 2 && digits < text.size() && is_digit(text[digits]); ++digits)
        out = out * 10 + static_cast<unsigned>(text[digits] - '0');
    text.remove_prefix(digits);
    return digits != 0 && out <= most;
}

bool take(std::string_view& text, char c)
{
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

/// hh:mm:ss with digits left out, and a fraction.
bool take_time(std::string_view& text)
{
    unsigned part = 0;
    if (!take_number(text, 23, part) || !take(text, ':') || !take_number(text, 59, part) || !take(text, ':') ||
        !take_number(text, 59, part))
        return false;
    if (!text.starts_with('.') && !text.starts_with(',')) return true;
    const auto digits = std::min(text.find_first_not_of("0123456789", 1), text.size());
    text.remove_prefix(digits > 1 ? digits : 0);
    return true;
}

/// Whether go-yaml takes it for a time. Its value is the text all the same.
bool is_timestamp(std::string_view text)
{
    if (text.size() < 5 || text.find_first_not_of("0123456789") != 4 || text[4] != '-') return false;
    unsigned century = 0, rest = 0, month = 0, day = 0, part = 0;
    take_number(text, 99, century);
    take_number(text, 99, rest);
    if (!take(text, '-') || !take_number(text, 12, month) || !take(text, '-') || !take_number(text, 31, day))
        return false;
    const std::chrono::year year(static_cast<int>(century * 100 + rest));
    if (!(year / static_cast<int>(month) / static_cast<int>(day)).ok()) return false;
    if (text.empty()) return true;
    if (take(text, ' ')) return take_time(text) && text.empty();
    if (!take(text, 'T') && !take(text, 't')) return false;
    if (!take_time(text)) return false;
    if (text == "Z") return true;
    if (text.size() != 6 || (!take(text, '+') && !take(text, '-')) || text[2] != ':') return false;
    return take_number(text, 24, part) && take(text, ':') && take_number(text, 60, part) && text.empty();
}

typed number(const std::string& text)
{
    const auto plain = without_underscores(text);
    if (auto whole = integer(plain)) return {type::integer, std::move(*whole)};
    if (const auto value = real(plain)) return {type::real, *value};
    return {type::text, json::value(json::string_view(text))};
}

typed value_of(const std::string& text, bool may_be_time)
{
    if (auto found = word(text)) return std::move(*found);
    const char first = text.front();
    if (first == '.') {
        if (const auto value = has_sound_underscores(text) ? real(without_underscores(text)) : std::nullopt)
            return {type::real, *value};
    } else if (is_digit(first) || first == '+' || first == '-') {
        if (may_be_time && is_timestamp(text)) return {type::timestamp, json::value(json::string_view(text))};
        return number(text);
    }
    return {type::text, json::value(json::string_view(text))};
}

resolved binary(const std::string& text)
{
    const auto data = bytes::from_base64(text);
    if (!data) return {boost::system::in_place_error, "!!binary value contains invalid base64 data"};
    return json::value(json::string_view(valid_utf8(data->data)));
}

} // namespace

resolved resolve_yaml(const std::string& tag, const std::string& text, bool implicit)
{
    const auto as_text = [&] { return json::value(json::string_view(text)); };
    if (tag.empty()) return implicit ? value_of(text, true).value : as_text();
    const auto name = std::string_view(tag).starts_with(core) ? "!!" + tag.substr(core.size()) : tag;
    if (name == "!!binary") return binary(text);
    const auto* asked = std::find(names.begin(), names.end(), name);
    if (asked == names.end() || name == "!!str" || name == tag) return as_text();
    auto found = value_of(text, name == "!!timestamp");
    if (name == "!!float" && found.is == type::integer && found.value.is_int64())
        return json::value(static_cast<double>(found.value.get_int64()));
    const auto found_name = names[static_cast<std::size_t>(found.is)];
    if (found_name == name) return std::move(found.value);
    // Without the text, which may be a password.
    return {boost::system::in_place_error, "cannot decode " + std::string(found_name) + " as a " + name};
}

std::string yaml_key_text(double number)
{
    const auto single = static_cast<float>(number);
    if (std::isnan(single)) return ".nan";
    if (std::isinf(single)) return single < 0 ? "-.inf" : ".inf";
    std::array<char, 64> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), single, std::chars_format::scientific).ptr;
    const std::string_view shortest(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const auto e = shortest.rfind('e');
    int exponent = 0;
    std::from_chars(shortest.data() + e + (shortest[e + 1] == '+' ? 2 : 1), end, exponent);
    if (exponent < -4 || exponent >= 6) return std::string(shortest);
    const auto fixed =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), single, std::chars_format::fixed).ptr;
    return {buffer.data(), fixed};
}

json::value whole_number(double number)
{
    constexpr double exact = 9007199254740992.0; // 2^53
    constexpr double limit = 9223372036854775808.0;
    if (!(number > -limit && number < limit) || number != std::trunc(number)) return number;
    if (number >= -exact && number <= exact) return static_cast<std::int64_t>(number);
    // Above, Go writes zeros behind the digits that tell the double from its neighbours.
    std::array<char, 32> buffer{};
    auto* const end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(number), std::chars_format::scientific)
            .ptr;
    const std::string_view shortest(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const auto e = shortest.rfind('e');
    std::size_t exponent = 0;
    std::from_chars(shortest.data() + e + 2, end, exponent);
    std::string digits(shortest.substr(0, e));
    std::erase(digits, '.');
    digits.resize(exponent + 1, '0');
    const auto whole = integer((number < 0 ? "-" : "") + digits);
    return whole && whole->is_int64() ? *whole : json::value(number);
}

} // namespace kubecoro::detail
