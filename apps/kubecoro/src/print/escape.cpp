#include "print/escape.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace {

/// The length of a colour sequence at the beginning of the text, else 0.
std::size_t colour_length(std::string_view text)
{
    if (!text.starts_with("\x1b[")) return 0;
    const auto end = text.find_first_not_of("0123456789;", 2);
    return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

} // namespace

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
