// Makes text from a server safe for a terminal without changing its meaning where the format allows it.
#pragma once

#include <string>
#include <string_view>

namespace kubecoro::tool {

/** The same JSON, with every character that moves a terminal's cursor or reorders text written as \uXXXX.

    Such characters occur in strings only, so that a reader gets the same values.
    @param json  Valid JSON. */
[[nodiscard]] std::string escaped_json(std::string_view json);

/// True if a character of the text moves a terminal's cursor or reorders text, or is not UTF-8. Line breaks count.
[[nodiscard]] bool needs_escapes(std::string_view text);

/// The text for a terminal: line breaks, tabs and colours (`ESC [ numbers m`) stay; other control characters become
/// spaces.
[[nodiscard]] std::string for_terminal(std::string_view text);

} // namespace kubecoro::tool
