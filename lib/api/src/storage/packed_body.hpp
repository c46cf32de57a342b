/* Splits a tape into front and body, and joins them again.

   The values that stay readable are cut out of the tape and become the front; the remainder is the body, which zstd
   compresses. A body is

     n                                  number of values cut out, one byte
     n times: slot, gap                 index of the value in the front (one byte), bytes of the rest before it (varint)
     the rest of the tape

   in tape order, so joining is a single pass of copying. */
#pragma once

#include "storage/body_codec_core.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubecoro::detail {

/// Position in the tape of a value that stays readable. Empty = none.
struct tape_range
{
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    /// If the range is empty: a value in a shared container.
    byte_span outside{};
    /// If the range is empty: the value exists but has an unexpected kind.
    bool elsewhere = false;
    /// May be stored in the front as a front_tag::uuid.
    bool may_be_uuid = false;
};

/// Splits tapes; reusable.
class tape_splitter
{
public:
    /** @param slots  At most 64. A value that overlaps an earlier one is copied instead of cut out.
        @return false when the front is larger than a block can represent. */
    [[nodiscard]] bool split(byte_span tape, const std::vector<tape_range>& slots);
    [[nodiscard]] byte_span front() const noexcept { return front_; }
    [[nodiscard]] byte_span body() const noexcept { return body_; }

private:
    struct cut
    {
        tape_range range;
        std::uint8_t slot;
    };
    [[nodiscard]] bool overlaps(tape_range r) const noexcept;
    void put_slot(byte_span value, bool may_be_uuid);

    std::vector<cut> cuts_;
    std::vector<unsigned char> front_;
    std::vector<unsigned char> body_;
};

/// Writes the tape to `out`, which has the tape's size. False when front and body do not form a tape of that size;
/// never reads or writes out of bounds.
[[nodiscard]] bool join_tape(byte_span front, byte_span body, std::span<unsigned char> out) noexcept;

void put_varint(std::vector<unsigned char>& out, std::size_t v);
/// Removes a number from the front of `in`; false when it is malformed.
[[nodiscard]] bool take_varint(byte_span& in, std::size_t& v) noexcept;

} // namespace kubecoro::detail
