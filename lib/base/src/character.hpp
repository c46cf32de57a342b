#pragma once
// The next character of a text, and whether a terminal may see it.

#include <cstddef>
#include <string_view>

namespace kubecoro::detail {

struct character
{
    /// Bytes; 1 for a byte that is not UTF-8.
    std::size_t length = 1;
    bool printable = false;
};

/// The first character. Precondition: the text is not empty.
[[nodiscard]] character first_character(std::string_view text) noexcept;

} // namespace kubecoro::detail
