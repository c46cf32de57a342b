#include "validation/go_print.hpp"

#include "text/go_text.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
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

} // namespace kubecoro::detail
