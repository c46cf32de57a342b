#include <kubecoro/api/detail/written_json.hpp>

#include <kubecoro/base/printable.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

// NOLINTBEGIN(misc-no-recursion): as deep as the value, like the destructor of the value itself
bool is_finite(const json::array& a)
{
    return std::ranges::all_of(a, [](const json::value& item) { return has_json_text(item); });
}

bool is_finite(const json::object& o)
{
    return std::ranges::all_of(o, [](const auto& member) { return has_json_text(member.value()); });
}

} // namespace

bool has_json_text(const json::value& v)
{
    if (const auto* number = v.if_double()) return std::isfinite(*number);
    if (const auto* array = v.if_array()) return is_finite(*array);
    const auto* object = v.if_object();
    return object == nullptr || is_finite(*object);
}
// NOLINTEND(misc-no-recursion)

std::string written_json(const json::value& v) { return has_json_text(v) ? json::serialize(v) : "NaN"; }
std::string written_json(const json::object& o) { return is_finite(o) ? json::serialize(o) : "NaN"; }
std::string written_json(const json::array& a) { return is_finite(a) ? json::serialize(a) : "NaN"; }

namespace {

std::size_t length_of_character(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/// Appends `\uXXXX`. The characters that need it have at most three bytes.
void append_escape(std::string& out, std::string_view character)
{
    std::uint32_t code = static_cast<unsigned char>(character.front());
    if (character.size() == 2) code &= 0x1fU;
    if (character.size() == 3) code &= 0x0fU;
    for (const char next : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(next) & 0x3fU);
    char text[8];
    std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(code & 0xffffU));
    out += text;
}

std::string view_of(const json::string& text) { return std::string(text.data(), text.size()); }

/// Boost.JSON writes 0.5 as 5E-1.
std::string number(double value)
{
    if (!std::isfinite(value)) return "null";
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return std::string(text, end);
}

void append(std::string& out, const json::value& v, const std::string* line)
{
    const std::string inside = line ? *line + "    " : "";
    const auto open = [&](char bracket) { out += bracket; };
    const auto between = [&](bool first) {
        if (!first) out += ',';
        if (line) out += inside;
    };
    const auto close = [&](char bracket, bool empty) {
        if (line && !empty) out += *line;
        out += bracket;
    };
    if (const auto* object = v.if_object()) {
        open('{');
        bool first = true;
        for (const auto& member : *object) {
            between(first);
            first = false;
            out += json::serialize(json::value(member.key()));
            out += line ? ": " : ":";
            append(out, member.value(), line ? &inside : nullptr);
        }
        close('}', first);
    } else if (const auto* array = v.if_array()) {
        open('[');
        bool first = true;
        for (const auto& item : *array) {
            between(first);
            first = false;
            append(out, item, line ? &inside : nullptr);
        }
        close(']', first);
    } else if (const auto* value = v.if_double()) {
        out += number(*value);
    } else {
        out += json::serialize(v);
    }
}

} // namespace

std::string escaped_json(std::string_view json)
{
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        const char first = json.front();
        const auto length = std::min(length_of_character(static_cast<unsigned char>(first)), json.size());
        const auto character = json.substr(0, length);
        json.remove_prefix(length);
        // Line breaks between values are the printer's; in strings JSON has none.
        if (first == '\n' || (first >= 0x20 && first != 0x7f) || !needs_escapes(character))
            out += character;
        else
            append_escape(out, character);
    }
    return out;
}

bool needs_escapes(std::string_view text) { return printable(text) != text; }

std::string to_json_text(const json::value& v)
{
    std::string out;
    const std::string line = "\n";
    append(out, v, &line);
    return escaped_json(out) + "\n";
}

std::string to_json_line(const json::value& v)
{
    std::string out;
    append(out, v, nullptr);
    return escaped_json(out);
}

std::string scalar_text(const json::value& v)
{
    if (const auto* text = v.if_string()) return view_of(*text);
    std::string out;
    append(out, v, nullptr);
    return out;
}

} // namespace kubecoro::detail
