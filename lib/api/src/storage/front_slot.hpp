#pragma once
// The values of a packed block that stay readable, and uids in 16 bytes instead of 36 characters.

#include "tape/tape_reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

/* The front of a packed block: the values that stay readable, one after the other, as in the tape or in a form that
   only the front uses:

     fd  a string that is a uid in canonical form: 16 bytes follow
     fe  the value has an unexpected kind and is stored in the body
     ff  the value is absent

   Hot slots of a plain block use fe and ff as well, and fd for a value that must be searched for. */

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

namespace front_tag {
inline constexpr unsigned char uuid = 0xfd;
inline constexpr unsigned char searched = uuid;
inline constexpr unsigned char elsewhere = 0xfe;
inline constexpr unsigned char absent = 0xff;
} // namespace front_tag

/// Returns the end of the value at `at`; null when it is missing or does not end before `end`.
[[nodiscard]] inline const unsigned char* skip_slot(const unsigned char* at, const unsigned char* end) noexcept
{
    if (at == end || *at < front_tag::uuid) return skip_value(at, end);
    const std::size_t size = *at == front_tag::uuid ? 1 + uuid_bytes{}.size() : 1;
    return static_cast<std::size_t>(end - at) < size ? nullptr : at + size;
}

/// Size in a tape of a slot's value.
[[nodiscard]] inline std::size_t slot_size_in_tape(const unsigned char* at, const unsigned char* end) noexcept
{
    return *at == front_tag::uuid ? 1 + uuid_length : static_cast<std::size_t>(end - at);
}

/// Writes slot_size_in_tape() bytes.
inline void slot_to_tape(const unsigned char* at, const unsigned char* end, unsigned char* out) noexcept
{
    if (*at != front_tag::uuid) {
        std::copy(at, end, out);
        return;
    }
    *out = static_cast<unsigned char>(tag::string_0 + uuid_length);
    from_uuid(at + 1, out + 1);
}

} // namespace kubecoro::detail
