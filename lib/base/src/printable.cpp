#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/printable.hpp>

#include "character.hpp"

#include <cstdint>

namespace kubecoro {

namespace detail {

namespace {

constexpr bool moves_the_cursor(std::uint32_t c) noexcept
{
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

/// Length in bytes of a character with this first byte; 0 = not a valid first byte.
constexpr std::size_t length_by_first(unsigned char byte) noexcept
{
    if (byte < 0x80) return 1;
    if (byte >= 0xc2 && byte <= 0xdf) return 2;
    if (byte >= 0xe0 && byte <= 0xef) return 3;
    return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

constexpr std::uint32_t least_of_length[] = {0, 0, 0x80, 0x800, 0x10000};

} // namespace

character first_character(std::string_view text) noexcept
{
    KUBECORO_EXPECT(!text.empty());
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = length_by_first(first);
    if (length == 0 || length > text.size()) return {};
    std::uint32_t code = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0) != 0x80) return {};
        code = code << 6 | (next & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < least_of_length[length] || code > 0x10ffff || surrogate) return {};
    return {length, !moves_the_cursor(code)};
}

} // namespace detail

std::string printable(std::string_view text, std::size_t most)
{
    std::string out;
    while (!text.empty()) {
        const auto next = detail::first_character(text);
        const auto shown = next.printable ? text.substr(0, next.length) : std::string_view(" ");
        if (shown.size() > most - out.size()) break;
        out += shown;
        text.remove_prefix(next.length);
    }
    return out;
}

} // namespace kubecoro
