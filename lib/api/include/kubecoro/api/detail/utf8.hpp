// Finds and replaces bytes that are not UTF-8: JSON cannot hold them.
#pragma once

#include <kubecoro/base/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kubecoro::detail {

[[nodiscard]] inline bool is_ascii(std::string_view text) noexcept
{
    constexpr std::uint64_t high_bits = 0x8080808080808080u;
    const char* at = text.data();
    std::size_t n = text.size();
    std::uint64_t seen = 0;
    if (n >= 8) {
        for (; n > 8; at += 8, n -= 8) seen |= load_word(at);
        // The last word overlaps the previous one.
        seen |= load_word(at + n - 8);
    } else {
        for (std::size_t i = 0; i < n; ++i) seen |= static_cast<unsigned char>(at[i]);
    }
    return (seen & high_bits) == 0;
}
/// True if the text is valid UTF-8.
[[nodiscard]] bool is_valid_utf8(std::string_view text) noexcept;
/// The same, faster for the ASCII that nearly all texts are.
[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept { return is_ascii(text) || is_valid_utf8(text); }
/// Appends the text; each byte that belongs to no valid character becomes U+FFFD.
void append_valid_utf8(std::string& out, std::string_view text);
/// The same as a text of its own.
[[nodiscard]] std::string valid_utf8(std::string_view text);

} // namespace kubecoro::detail
