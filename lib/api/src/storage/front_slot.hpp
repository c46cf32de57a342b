/* The front of a packed block: the values that stay readable, one after the other, as in the tape or in a form that
   only the front uses:

     fd  a string that is a uid in canonical form: 16 bytes follow
     fe  the value has an unexpected kind and is stored in the body
     ff  the value is absent

   Hot slots of a plain block use fe and ff as well, and fd for a value that must be searched for. */
#pragma once

#include "tape/tape_reader.hpp"
#include "tape/uuid_text.hpp"

#include <algorithm>

namespace kubecoro::detail {

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
