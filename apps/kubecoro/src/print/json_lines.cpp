#include "print/json_lines.hpp"

#include "print/escape.hpp"

#include <boost/json/serialize.hpp>

#include <charconv>
#include <cmath>

namespace kubecoro::tool {

namespace json = boost::json;

namespace {

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

const json::value* find_member(const json::value& v, std::initializer_list<std::string_view> path)
{
    const json::value* at = &v;
    for (const auto name : path) {
        const auto* object = at->if_object();
        at = object ? object->if_contains(json::string_view(name.data(), name.size())) : nullptr;
        if (!at) return nullptr;
    }
    return at;
}

std::string text_member(const json::value& v, std::initializer_list<std::string_view> path)
{
    const auto* found = find_member(v, path);
    return found && found->is_string() ? view_of(found->get_string()) : std::string();
}

} // namespace kubecoro::tool
