// The tape: the in-memory form of a JSON value. One byte string, values in document order, keys and texts inline or by
// number. Rationale: docs/decisions/0002-tape.md.
#pragma once

#include <kubecoro/api/value_view.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace kubecoro::detail {

/* A value is a tag byte, followed by:

     00-3f   string of 0-63 bytes         the bytes follow
     40-6f   value number 0-47            nothing follows
     70-8f   value number 48-8239         the low 8 bits of (number - 48) follow, the high ones are in the tag
     fc      value number 8240-73775      (number - 8240) in 2 bytes
     90-af   integer 0-31                 nothing follows
     b0-b3   integer                      1, 2, 4 or 8 bytes, two's complement
     b4, b5  number kept as its text      length in 1 or 4 bytes, the text
     b6-b8   string                       length in 1, 2 or 4 bytes, the bytes
     b9-bd   null, false, true, {}, []    nothing follows
     be-c0   object, not empty            length of the body in 1, 2 or 4 bytes, the body
     c1      object that may hold a       length of the body in 4 bytes, the body
             key twice
     c2-c4   array, not empty             length of the body in 1, 2 or 4 bytes, the body
     c5-e9   object with a body of        the body follows
             2-38 bytes
     ea-f9   array with a body of         the body follows
             1-16 bytes
     fa      shared container 0-255       the number in 1 byte
     fb      shared container 256-65791   (number - 256) in 2 bytes
     fd-ff   reserved

   The body of an array is its items; that of an object is key, value, key, value. A key is

     00-de   key number 0-222             nothing follows
     df-fd   key number 223-8158          the low 8 bits of (number - 223) follow, the high ones are in the byte
     fe, ff  inline                       length in 1 or 4 bytes, the bytes

   Numbers refer to the vocabulary that the tape was written with; a self-contained tape has none. Every length is
   little endian and takes the narrowest form, so equal bytes under one vocabulary prove equality. Unequal bytes prove
   nothing, because a text that was written inline may have been given a number later. A number is stored as an integer
   if the document had its canonical decimal text; any other number keeps its text, so nothing is lost. */
namespace tag {
inline constexpr unsigned char string_0 = 0x00;
inline constexpr unsigned char string_max = 0x3f;
inline constexpr unsigned char value_0 = 0x40;
inline constexpr unsigned char value_wide = 0x70;
inline constexpr unsigned char value_max = 0x8f;
inline constexpr unsigned char small_0 = 0x90;
inline constexpr unsigned char small_max = 0xaf;
inline constexpr unsigned char int_8 = 0xb0;
inline constexpr unsigned char int_16 = 0xb1;
inline constexpr unsigned char int_32 = 0xb2;
inline constexpr unsigned char int_64 = 0xb3;
inline constexpr unsigned char number_8 = 0xb4;
inline constexpr unsigned char number_32 = 0xb5;
inline constexpr unsigned char string_8 = 0xb6;
inline constexpr unsigned char string_16 = 0xb7;
inline constexpr unsigned char string_32 = 0xb8;
inline constexpr unsigned char null = 0xb9;
inline constexpr unsigned char false_ = 0xba;
inline constexpr unsigned char true_ = 0xbb;
inline constexpr unsigned char empty_object = 0xbc;
inline constexpr unsigned char empty_array = 0xbd;
inline constexpr unsigned char object_8 = 0xbe;
inline constexpr unsigned char object_32 = 0xc0;
inline constexpr unsigned char loose_object = 0xc1;
inline constexpr unsigned char array_8 = 0xc2;
inline constexpr unsigned char array_32 = 0xc4;
inline constexpr unsigned char tight_object = 0xc5;
inline constexpr unsigned char tight_object_max = 0xe9;
inline constexpr unsigned char tight_array = 0xea;
inline constexpr unsigned char tight_array_max = 0xf9;
inline constexpr unsigned char shared_8 = 0xfa;
inline constexpr unsigned char shared_16 = 0xfb;
inline constexpr unsigned char value_16 = 0xfc;
} // namespace tag

namespace key_tag {
inline constexpr unsigned char wide = 0xdf;
inline constexpr unsigned char inline_8 = 0xfe;
inline constexpr unsigned char inline_32 = 0xff;
} // namespace key_tag

/// Bodies whose length is encoded in the tag.
inline constexpr std::size_t shortest_object = 2;
inline constexpr std::size_t shortest_array = 1;
inline constexpr std::size_t tight_object_body = shortest_object + (tag::tight_object_max - tag::tight_object);
inline constexpr std::size_t tight_array_body = shortest_array + (tag::tight_array_max - tag::tight_array);

/// Ranges of numbers.
inline constexpr std::size_t short_keys = key_tag::wide;
inline constexpr std::size_t key_numbers = short_keys + 256 * std::size_t{key_tag::inline_8 - key_tag::wide};
inline constexpr std::size_t short_values = tag::value_wide - tag::value_0;
inline constexpr std::size_t wide_values = short_values + 256 * std::size_t{tag::small_0 - tag::value_wide};
inline constexpr std::size_t value_numbers = wide_values + 0x10000;
inline constexpr std::size_t short_containers = 0x100;
inline constexpr std::size_t container_numbers = short_containers + 0x10000;
static_assert(key_numbers == 8159 && value_numbers == 73776);

/// Recursive readers stop at this depth, whatever the bytes say; writers refuse deeper documents.
inline constexpr std::size_t deepest = 512;

/// Lengths have 32 bits; this leaves room for scratch space and headers.
inline constexpr std::size_t largest_tape = std::size_t{1} << 30;

/// Properties of a tag: the kind (absent for shared containers, whose own tag has it), the bytes of tag and length (or
/// of the whole value; 0 for reserved tags), the bytes of the length.
struct shape
{
    value_kind kind = value_kind::absent;
    unsigned char fixed = 0;
    unsigned char width = 0;
};

[[nodiscard]] constexpr std::array<shape, 256> make_shapes() noexcept
{
    std::array<shape, 256> s{};
    const auto fill = [&s](unsigned from, unsigned to, value_kind kind, unsigned fixed, unsigned more) {
        for (unsigned t = from; t <= to; ++t, fixed += more) s[t] = {kind, static_cast<unsigned char>(fixed)};
    };
    const auto sized = [&s](unsigned t, value_kind kind, unsigned width) {
        s[t] = {kind, static_cast<unsigned char>(1 + width), static_cast<unsigned char>(width)};
    };
    fill(tag::string_0, tag::string_max, value_kind::string, 1, 1);
    fill(tag::value_0, tag::value_wide - 1, value_kind::string, 1, 0);
    fill(tag::value_wide, tag::value_max, value_kind::string, 2, 0);
    fill(tag::value_16, tag::value_16, value_kind::string, 3, 0);
    fill(tag::small_0, tag::small_max, value_kind::integer, 1, 0);
    for (unsigned i = 0; i < 4; ++i) fill(tag::int_8 + i, tag::int_8 + i, value_kind::integer, 1 + (1u << i), 0);
    sized(tag::number_8, value_kind::number, 1);
    sized(tag::number_32, value_kind::number, 4);
    for (unsigned i = 0; i < 3; ++i) {
        sized(tag::string_8 + i, value_kind::string, 1u << i);
        sized(tag::object_8 + i, value_kind::object, 1u << i);
        sized(tag::array_8 + i, value_kind::array, 1u << i);
    }
    s[tag::null] = {value_kind::null, 1};
    s[tag::false_] = s[tag::true_] = {value_kind::boolean, 1};
    s[tag::empty_object] = {value_kind::object, 1};
    s[tag::empty_array] = {value_kind::array, 1};
    sized(tag::loose_object, value_kind::object, 4);
    fill(tag::tight_object, tag::tight_object_max, value_kind::object, 1 + shortest_object, 1);
    fill(tag::tight_array, tag::tight_array_max, value_kind::array, 1 + shortest_array, 1);
    fill(tag::shared_8, tag::shared_16, value_kind::absent, 2, 1);
    return s;
}

inline constexpr std::array<shape, 256> shapes = make_shapes();

/// Size of a value whose tag determines its length, else 0: four cache lines serve nearly all steps.
[[nodiscard]] constexpr std::array<unsigned char, 256> make_plain_sizes() noexcept
{
    std::array<unsigned char, 256> sizes{};
    for (std::size_t t = 0; t < sizes.size(); ++t) sizes[t] = shapes[t].width == 0 ? shapes[t].fixed : std::uint8_t{0};
    return sizes;
}

inline constexpr std::array<unsigned char, 256> plain_sizes = make_plain_sizes();

template<std::size_t Width>
[[nodiscard]] inline std::uint64_t load_bytes(const unsigned char* at) noexcept
{
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < Width; ++i) v |= std::uint64_t{at[i]} << (8 * i);
    return v;
}

/// @param width  1, 2, 4 or 8.
[[nodiscard]] inline std::uint64_t load(const unsigned char* at, std::size_t width) noexcept
{
    switch (width) {
    case 1:
        return *at;
    case 2:
        return load_bytes<2>(at);
    case 4:
        return load_bytes<4>(at);
    default:
        return load_bytes<8>(at);
    }
}

inline void store(unsigned char* at, std::uint64_t v, std::size_t width) noexcept
{
    for (std::size_t i = 0; i < width; ++i) at[i] = static_cast<unsigned char>(v >> (8 * i));
}

/// Bytes of a length: 1, 2 or 4.
[[nodiscard]] inline std::size_t width_of(std::size_t length) noexcept
{
    return length < 0x100 ? 1 : length < 0x10000 ? 2 : 4;
}

/// 1, 2, 4 -> 0, 1, 2: added to the first tag of a family.
[[nodiscard]] inline unsigned char width_step(std::size_t width) noexcept
{
    return static_cast<unsigned char>(width / 2);
}

/// The head of a container that is not empty.
struct container_form
{
    unsigned char tag;
    unsigned char width;
};

[[nodiscard]] inline container_form form_of(bool is_object, bool loose, std::size_t body) noexcept
{
    if (loose) return {tag::loose_object, 4};
    if (is_object && body <= tight_object_body)
        return {static_cast<unsigned char>(tag::tight_object + (body - shortest_object)), 0};
    if (!is_object && body <= tight_array_body)
        return {static_cast<unsigned char>(tag::tight_array + (body - shortest_array)), 0};
    const std::size_t width = width_of(body);
    return {static_cast<unsigned char>((is_object ? tag::object_8 : tag::array_8) + width_step(width)),
            static_cast<unsigned char>(width)};
}

} // namespace kubecoro::detail
