#pragma once
// Decodes the next character of a text and classifies it as printable or not.

#include <cstddef>
#include <string_view>

namespace kubecoro::detail {

struct character
{
    /// In bytes; 1 for a byte that is not UTF-8.
    std::size_t length = 1;
    bool printable = false;
};

/// The first character of a text.
[[nodiscard]] character first_character(std::string_view text) noexcept;

} // namespace kubecoro::detail
