#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro {

/** Makes untrusted text safe for a terminal and for a single line: UTF-8 without control characters.

    Each control character (C0, DEL, and C1, whose U+009B begins an escape sequence), each mark that reorders or
    breaks lines (U+2028 to U+202E, U+2066 to U+2069, U+200E, U+200F) and each byte that is not UTF-8 becomes one
    space.
    @param most  Maximum length in bytes; the text is cut between two characters. */
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

} // namespace kubecoro
