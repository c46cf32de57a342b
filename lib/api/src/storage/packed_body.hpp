/* A tape taken apart, and put together again.

   The values that stay readable are cut out of the tape and become the front; what is left is the body, which zstd
   compresses. A body is

     n                                  how many values were cut out, one byte
     n times: slot, gap                 which value of the front (one byte), after how many bytes of the rest (varint)
     the rest of the tape

   in the order of the tape, so putting it together is one pass of copying. */
#pragma once

#include "storage/body_dictionary.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubecoro::detail {

/// A value that stays readable: where it lies in the tape. Empty = none.
struct tape_range
{
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    /// Of an empty one: the value lies in a shared container.
    bytes_view outside{};
    /// Of an empty one: there is a value, of another kind than belongs here.
    bool elsewhere = false;
    /// May lie in the front as a front_tag::uuid.
    bool may_be_uuid = false;
};

/// Takes tapes apart; reused for the next.
class tape_splitter
{
public:
    /** @param slots  At most 64. A value inside one that came before it, or around it, is copied instead of cut out.
        @return false when the front is larger than a block can say. */
    [[nodiscard]] bool split(bytes_view tape, const std::vector<tape_range>& slots);
    [[nodiscard]] bytes_view front() const noexcept { return front_; }
    [[nodiscard]] bytes_view body() const noexcept { return body_; }

private:
    struct cut
    {
        tape_range range;
        std::uint8_t slot;
    };
    [[nodiscard]] bool overlaps(tape_range r) const noexcept;
    void put_slot(bytes_view value, bool may_be_uuid);

    std::vector<cut> cuts_;
    std::vector<unsigned char> front_;
    std::vector<unsigned char> body_;
};

/// Writes the tape to `out`, which has its size. False when front and body do not make that tape; never reads or writes
/// out of bounds.
[[nodiscard]] bool join_tape(bytes_view front, bytes_view body, std::span<unsigned char> out) noexcept;

void put_varint(std::vector<unsigned char>& out, std::size_t v);
/// Takes a number off the front of `in`; false when there is none.
[[nodiscard]] bool take_varint(bytes_view& in, std::size_t& v) noexcept;

} // namespace kubecoro::detail
