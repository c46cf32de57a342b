// The tape: how a JSON value lies in memory. One byte string, values in document order, keys and text inline.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kubecoro::detail {

/* A value is a tag byte and what follows it:

     00-5f   string of 0-95 bytes         the bytes follow
     60-9f   integer 0-63                 nothing follows
     a0-a4   null, false, true, {}, []    nothing follows
     a8-aa   string                       length in 1, 2 or 4 bytes, the bytes
     ac, ad  number kept as its text      length in 1 or 4 bytes, the text
     b0-b3   integer                      1, 2, 4 or 8 bytes, two's complement
     b4-b6   object, not empty            length of the body in 1, 2 or 4 bytes, count of members likewise, the body
     b8-ba   array, not empty             the same with items
     others  reserved

   The body of an object is key, value, key, value; a key is its length in one byte below f0 and the bytes, or ff, the
   length in 4 bytes and the bytes (f0-fe are reserved). Every length is little endian and takes the narrowest form, so
   equal documents have equal tapes and memcmp proves equality. Duplicate keys are kept; readers take the last. Integers
   are those whose canonical decimal text the document had; every other number keeps its text, so nothing is lost. */
namespace tag {
inline constexpr unsigned char string_0 = 0x00;
inline constexpr unsigned char string_max = 0x5f;
inline constexpr unsigned char small_0 = 0x60;
inline constexpr unsigned char small_max = 0x9f;
inline constexpr unsigned char null = 0xa0;
inline constexpr unsigned char false_ = 0xa1;
inline constexpr unsigned char true_ = 0xa2;
inline constexpr unsigned char empty_object = 0xa3;
inline constexpr unsigned char empty_array = 0xa4;
inline constexpr unsigned char string_8 = 0xa8;
inline constexpr unsigned char string_16 = 0xa9;
inline constexpr unsigned char string_32 = 0xaa;
inline constexpr unsigned char number_8 = 0xac;
inline constexpr unsigned char number_32 = 0xad;
inline constexpr unsigned char int_8 = 0xb0;
inline constexpr unsigned char int_16 = 0xb1;
inline constexpr unsigned char int_32 = 0xb2;
inline constexpr unsigned char int_64 = 0xb3;
inline constexpr unsigned char object_8 = 0xb4;
inline constexpr unsigned char object_32 = 0xb6;
inline constexpr unsigned char array_8 = 0xb8;
inline constexpr unsigned char array_32 = 0xba;
} // namespace tag

inline constexpr unsigned char long_key = 0xff;
inline constexpr std::size_t short_key_max = 0xef;

/// Readers that recurse stop here, whatever the bytes say; writers refuse deeper documents.
inline constexpr std::size_t deepest = 512;

/// Lengths have 32 bits; scratch space and headers stay clear of the edge.
inline constexpr std::size_t largest_tape = std::size_t{1} << 30;

[[nodiscard]] inline std::uint64_t load(const unsigned char* at, std::size_t width) noexcept
{
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < width; ++i) v |= std::uint64_t{at[i]} << (8 * i);
    return v;
}

inline void store(unsigned char* at, std::uint64_t v, std::size_t width) noexcept
{
    for (std::size_t i = 0; i < width; ++i) at[i] = static_cast<unsigned char>(v >> (8 * i));
}

/// Bytes that a length takes: 1, 2 or 4.
[[nodiscard]] inline std::size_t width_of(std::size_t length) noexcept
{
    return length < 0x100 ? 1 : length < 0x10000 ? 2 : 4;
}

/// 1, 2, 4 -> 0, 1, 2: what is added to the first tag of a family.
[[nodiscard]] inline unsigned char width_step(std::size_t width) noexcept
{
    return static_cast<unsigned char>(width / 2);
}

} // namespace kubecoro::detail
