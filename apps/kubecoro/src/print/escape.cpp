#include "print/escape.hpp"

#include <kubecoro/base/printable.hpp>

#include <cstdint>
#include <cstdio>

namespace kubecoro::tool {

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

/// The length of a colour sequence at the beginning of the text, else 0.
std::size_t colour_length(std::string_view text)
{
    if (!text.starts_with("\x1b[")) return 0;
    const auto end = text.find_first_not_of("0123456789;", 2);
    return end != text.npos && text[end] == 'm' ? end + 1 : 0;
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

std::string for_terminal(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        if (const auto colour = colour_length(text)) {
            out += text.substr(0, colour);
            text.remove_prefix(colour);
            continue;
        }
        if (text.front() == '\n' || text.front() == '\t') {
            out += text.front();
            text.remove_prefix(1);
            continue;
        }
        const auto end = std::min(text.find_first_of("\n\t\x1b", 1), text.size());
        out += printable(text.substr(0, end));
        text.remove_prefix(end);
    }
    return out;
}

} // namespace kubecoro::tool
