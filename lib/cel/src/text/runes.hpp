// Texts as sequences of code points, as Go sees them: each byte that belongs to no character counts as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::cel::detail {

/// The code point in place of a byte that belongs to no character.
inline constexpr char32_t replacement_rune = 0xfffd;

/// A code point and the number of its bytes.
struct rune
{
    char32_t point = 0;
    std::size_t size = 0;
};

/// The code point at the beginning of a text that is not empty.
[[nodiscard]] rune first_rune(std::string_view text) noexcept;
/// The number of code points.
[[nodiscard]] std::size_t count_runes(std::string_view text) noexcept;
/// The texts of all code points.
[[nodiscard]] std::vector<std::string_view> split_runes(std::string_view text);
/// The bytes before the code point of this number; the size of the text if it has fewer.
[[nodiscard]] std::size_t offset_of_rune(std::string_view text, std::size_t number) noexcept;
/// Whether it may be encoded: no surrogate, and not above U+10FFFF.
[[nodiscard]] bool is_rune(std::uint32_t point) noexcept;
/// Appends a code point.
void append_rune(std::string& out, char32_t point);

} // namespace kubecoro::cel::detail
