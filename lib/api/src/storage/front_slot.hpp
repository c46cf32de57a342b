/* The front of a packed block: the values that stay readable, one after the other, as they lie in the tape, or in a form
   that only a front has:

     fd  a string that is a uid in canonical form: 16 bytes follow
     fe  there is a value, but not of the kind that belongs here: it lies in the body
     ff  there is none

   A plain block's hot slots have the last two as well, and fd for a value that is to be searched for. */
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

/// Where the value at `at` ends; null when there is none or it does not end before `end`.
[[nodiscard]] inline const unsigned char* skip_slot(const unsigned char* at, const unsigned char* end) noexcept
{
    if (at == end || *at < front_tag::uuid) return skip_value(at, end);
    const std::size_t size = *at == front_tag::uuid ? 1 + uuid_bytes{}.size() : 1;
    return static_cast<std::size_t>(end - at) < size ? nullptr : at + size;
}

/// Bytes that the value of a slot takes in a tape.
[[nodiscard]] inline std::size_t slot_size_in_tape(const unsigned char* at, const unsigned char* end) noexcept
{
    return *at == front_tag::uuid ? 1 + uuid_length : static_cast<std::size_t>(end - at);
}

/// Writes that many bytes.
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
