#include <kubecoro/api/detail/go_format.hpp>

#include "text/go_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <re2/re2.h>
#include <utility>
#include <vector>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::string_view digits = "0123456789abcdef";

/// Go's unicode.IsPrint, from the tables of RE2. The text is one valid character beyond ASCII.
bool is_printable(std::string_view character)
{
    static const re2::RE2 printable(R"([\pL\pM\pN\pP\pS])");
    return re2::RE2::FullMatch({character.data(), character.size()}, printable);
}

void append_hex(std::string& out, std::string_view prefix, std::uint32_t value, int width)
{
    out += prefix;
    for (int shift = 4 * (width - 1); shift >= 0; shift -= 4) out += digits[value >> shift & 15];
}

std::size_t length_of(unsigned char first) { return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

std::uint32_t code_point(std::string_view character)
{
    auto value =
        static_cast<std::uint32_t>(static_cast<unsigned char>(character[0]) & (0xff >> (character.size() + 1)));
    for (const char c : character.substr(1)) value = value << 6 | (static_cast<unsigned char>(c) & 0x3f);
    return value;
}

void append_ascii(std::string& out, char c)
{
    constexpr std::string_view special = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view names = "abfnrtv\\\"";
    if (const auto at = special.find(c); at != std::string_view::npos) {
        out += '\\';
        out += names[at];
    } else if (c < ' ' || c == 0x7f)
        append_hex(out, "\\x", static_cast<unsigned char>(c), 2);
    else
        out += c;
}

void append_json_text(std::string& out, std::string_view text)
{
    out += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const auto rest = text.substr(i, 3);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '<' || c == '>' || c == '&' || static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view special = "\b\f\n\r\t";
            const auto at = special.find(c);
            if (at != std::string_view::npos) {
                out += '\\';
                out += "bfnrt"[at];
            } else
                append_hex(out, "\\u", static_cast<unsigned char>(c), 4);
        } else if (rest == "\u2028" || rest == "\u2029") {
            append_hex(out, "\\u", rest.back() == '\xa8' ? 0x2028 : 0x2029, 4);
            i += 2;
        } else
            out += c;
    }
    out += '"';
}

void append_json(std::string& out, const json::value& value)
{
    if (const auto* text = value.if_string()) {
        append_json_text(out, *text);
    } else if (const auto* items = value.if_array()) {
        out += '[';
        for (const auto& item : *items) {
            if (&item != items->begin()) out += ',';
            append_json(out, item);
        }
        out += ']';
    } else if (const auto* object = value.if_object()) {
        std::vector<const json::key_value_pair*> members;
        members.reserve(object->size());
        for (const auto& member : *object) members.push_back(&member);
        std::ranges::sort(members, {}, [](const auto* m) { return std::string_view(m->key()); });
        out += '{';
        for (const auto* member : members) {
            if (member != members.front()) out += ',';
            append_json_text(out, member->key());
            out += ':';
            append_json(out, member->value());
        }
        out += '}';
    } else if (value.is_double() || value.is_uint64())
        out += real_text(value.to_number<double>()).value_or("null");
    else if (value.is_int64())
        out += std::to_string(value.get_int64());
    else
        out += value.is_null() ? "null" : value.get_bool() ? "true" : "false";
}

} // namespace

std::string go_quoted(std::string_view text)
{
    std::string out = "\"";
    while (!text.empty()) {
        const auto size = length_of(static_cast<unsigned char>(text[0]));
        const auto character = text.substr(0, size);
        if (size == 1)
            append_ascii(out, text[0]);
        else if (character.size() < size || !is_valid_utf8(character)) {
            append_hex(out, "\\x", static_cast<unsigned char>(text[0]), 2);
            text.remove_prefix(1);
            continue;
        } else if (is_printable(character))
            out += character;
        else if (const auto code = code_point(character); code < 0x10000)
            append_hex(out, "\\u", code, 4);
        else
            append_hex(out, "\\U", code, 8);
        text.remove_prefix(size);
    }
    return out + '"';
}

std::string go_number(double value)
{
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::scientific).ptr;
    const std::string_view shortest(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const auto e = shortest.find('e');
    int exponent = 0;
    std::from_chars(shortest.data() + e + (shortest[e + 1] == '+' ? 2 : 1), end, exponent);
    if (exponent < -4 || exponent >= 6) return std::string(shortest);
    return real_text(value).value_or("");
}

std::string go_json(const json::value& value)
{
    std::string out;
    append_json(out, value);
    return out;
}

std::string go_value(const json::value& value)
{
    if (const auto* text = value.if_string()) return go_quoted(*text);
    if (value.is_double() || value.is_uint64()) return go_number(value.to_number<double>());
    return go_json(value);
}

namespace {

/// Bytes of a value that are shown: the rest of a longer one becomes "...".
constexpr std::size_t most_shown = std::size_t{1} << 20;
/// Bytes of a time that are shown.
constexpr std::size_t most_shown_of_time = 1024;

/// The parts of a notation of values.
struct go_notation
{
    std::string_view nothing, map, list, open, close, separator;
    bool quotes;
};

constexpr go_notation plain_notation{"<nil>", "map", "", "[", "]", " ", false};
constexpr go_notation syntax_notation{
    "interface {}(nil)", "map[string]interface {}", "[]interface {}", "{", "}", ", ", true};

// Recursion is bounded by the depth of the text that the value was read from.
void append_formatted(std::string& out, const json::value& value, const go_notation& notation)
{
    if (out.size() > most_shown) return;
    const auto append_text = [&](std::string_view text) {
        text = text.substr(0, most_shown);
        out += notation.quotes ? go_quoted(text) : std::string(text);
    };
    std::string_view separator;
    if (const auto* items = value.if_array()) {
        out.append(notation.list).append(notation.open);
        for (const auto& item : *items) {
            if (out.size() > most_shown) break;
            out += std::exchange(separator, notation.separator);
            append_formatted(out, item, notation);
        }
        out += notation.close;
    } else if (const auto* object = value.if_object()) {
        std::vector<const json::key_value_pair*> members;
        members.reserve(object->size());
        for (const auto& member : *object) members.push_back(&member);
        std::ranges::sort(members, {}, [](const auto* m) { return std::string_view(m->key()); });
        out.append(notation.map).append(notation.open);
        for (const auto* member : members) {
            if (out.size() > most_shown) break;
            out += std::exchange(separator, notation.separator);
            append_text(member->key());
            out += ':';
            append_formatted(out, member->value(), notation);
        }
        out += notation.close;
    } else if (const auto* text = value.if_string())
        append_text(*text);
    else
        out += value.is_null() ? std::string(notation.nothing) : go_value(value);
}

std::string shown(const json::value& value, const go_notation& notation)
{
    std::string out;
    append_formatted(out, value, notation);
    if (out.size() > most_shown) out.replace(most_shown, out.npos, "...");
    return out;
}

constexpr std::string_view time_layout = "2006-01-02T15:04:05Z07:00";

bool is_digit_at(std::string_view text, std::size_t at)
{
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

/// As the package time: what is not ASCII, or controls a terminal, byte by byte.
std::string time_quoted(std::string_view text)
{
    constexpr std::string_view hex_digits = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text.substr(0, most_shown_of_time)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || byte < ' ') {
            out.append("\\x").append(1, hex_digits[byte >> 4]).append(1, hex_digits[byte & 15]);
            continue;
        }
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + (text.size() > most_shown_of_time ? "\"..." : "\"");
}

/// Reads a time of RFC 3339 from left to right, as leniently as Go.
class go_time_reader
{
public:
    explicit go_time_reader(std::string_view text) : whole_(text), rest_(text) {}

    std::optional<std::string> run()
    {
        int year = 0, month = 0, day = 0;
        const bool read = read_year(year) && skip('-') && read_part("01", "month", 1, 12, month) && skip('-') &&
                          read_part("02", "day", 0, 99, day) && skip('T') && read_clock() && read_zone();
        if (!read) return std::move(problem_);
        if (!rest_.empty()) return told(": extra text: " + time_quoted(rest_));
        const std::chrono::year_month_day date{std::chrono::year(year),
                                               std::chrono::month(static_cast<unsigned>(month)),
                                               std::chrono::day(static_cast<unsigned>(day))};
        if (!date.ok()) return told(": day out of range");
        return {};
    }

private:
    [[nodiscard]] std::string told(const std::string& why) const { return "parsing time " + time_quoted(whole_) + why; }

    bool fails(std::string_view at, std::string_view wanted)
    {
        problem_ = told(" as " + time_quoted(time_layout) + ": cannot parse " + time_quoted(at) + " as " +
                        time_quoted(wanted));
        return false;
    }

    bool is_out_of_range(std::string_view part)
    {
        problem_ = told(": " + std::string(part) + " out of range");
        return false;
    }

    bool skip(char c)
    {
        if (rest_.empty() || rest_[0] != c) return fails(rest_, std::string_view(&c, 1));
        rest_.remove_prefix(1);
        return true;
    }

    bool read_year(int& out)
    {
        constexpr std::size_t length = 4;
        for (std::size_t i = 0; i < length; ++i) {
            if (!is_digit_at(rest_, i)) return fails(rest_, "2006");
            out = out * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(length);
        return true;
    }

    /// Two digits; one is enough for hours.
    bool read_part(std::string_view layout, std::string_view part, int least, int most, int& out)
    {
        if (!is_digit_at(rest_, 0) || (layout != "15" && !is_digit_at(rest_, 1))) return fails(rest_, layout);
        const std::size_t length = is_digit_at(rest_, 1) ? 2 : 1;
        out = 0;
        for (const char c : rest_.substr(0, length)) out = out * 10 + (c - '0');
        rest_.remove_prefix(length);
        return (out >= least && out <= most) || is_out_of_range(part);
    }

    bool read_clock()
    {
        int ignored = 0;
        if (!read_part("15", "hour", 0, 23, ignored) || !skip(':') || !read_part("04", "minute", 0, 59, ignored) ||
            !skip(':') || !read_part("05", "second", 0, 59, ignored))
            return false;
        if (rest_.empty() || (rest_[0] != '.' && rest_[0] != ',') || !is_digit_at(rest_, 1)) return true;
        std::size_t end = 1;
        while (is_digit_at(rest_, end)) ++end;
        rest_.remove_prefix(end);
        return true;
    }

    bool read_zone()
    {
        if (!rest_.empty() && rest_[0] == 'Z') {
            rest_.remove_prefix(1);
            return true;
        }
        const bool is_offset = rest_.size() >= 6 && rest_[3] == ':' && (rest_[0] == '+' || rest_[0] == '-') &&
                               is_digit_at(rest_, 1) && is_digit_at(rest_, 2) && is_digit_at(rest_, 4) &&
                               is_digit_at(rest_, 5);
        if (!is_offset) return fails(rest_, "Z07:00");
        if (rest_.substr(1, 2) > "24") return is_out_of_range("time zone offset hour");
        if (rest_.substr(4, 2) > "60") return is_out_of_range("time zone offset minute");
        rest_.remove_prefix(6);
        return true;
    }

    std::string_view whole_;
    std::string_view rest_;
    std::string problem_;
};

} // namespace

std::string go_plain(const json::value& value) { return shown(value, plain_notation); }

std::string go_syntax(const json::value& value) { return shown(value, syntax_notation); }

std::optional<std::string> go_time_problem(std::string_view text) { return go_time_reader(text).run(); }

} // namespace kubecoro::detail
