// Stores a uid in the server's canonical form in 16 bytes instead of 36 characters.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace kubecoro::detail {

using uuid_bytes = std::array<unsigned char, 16>;
inline constexpr std::size_t uuid_length = 36;

namespace uuid {

inline constexpr std::string_view digits = "0123456789abcdef";

/// True for bytes that follow a dash.
[[nodiscard]] constexpr bool after_dash(std::size_t byte) noexcept
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

/// 0-15; larger for any other character. Uppercase digits are not accepted, because they would be restored in
/// lowercase.
[[nodiscard]] constexpr unsigned digit(char c) noexcept
{
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    return c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10) : 16u;
}

} // namespace uuid

/// Nothing unless from_uuid() would give exactly this text.
[[nodiscard]] constexpr std::optional<uuid_bytes> to_uuid(std::string_view text) noexcept
{
    if (text.size() != uuid_length) return std::nullopt;
    uuid_bytes out{};
    std::size_t at = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (uuid::after_dash(i) && text[at++] != '-') return std::nullopt;
        const unsigned high = uuid::digit(text[at++]);
        const unsigned low = uuid::digit(text[at++]);
        if ((high | low) > 15) return std::nullopt;
        out[i] = static_cast<unsigned char>(high << 4 | low);
    }
    return out;
}

/// @param bytes  16 bytes. @param text  Receives uuid_length characters.
constexpr void from_uuid(const unsigned char* bytes, unsigned char* text) noexcept
{
    for (std::size_t i = 0; i < 16; ++i) {
        if (uuid::after_dash(i)) *text++ = '-';
        *text++ = static_cast<unsigned char>(uuid::digits[bytes[i] >> 4]);
        *text++ = static_cast<unsigned char>(uuid::digits[bytes[i] & 15]);
    }
}

} // namespace kubecoro::detail
