/* Who holds a block, and for how long its expansion lives.

   Readers (object) and keepers (kept_object: tables that only store) are counted apart, in one word, together with a bit
   that says that there is an expansion. A block lives while anyone holds it; an expansion lives while a reader does.

   Why no reader ever sees an expansion go:
   - Only the last reader takes it, in one step with its own leave: the exchange of the word succeeds only if nobody has
     come since it was read. Whoever comes afterwards gets its count by an acquire operation on that word, and so sees the
     pointer that was cleared before.
   - Whoever came before makes that exchange fail, and the pointer is put back. In between it may have seen none; then it
     asks for an expansion, which takes the lock that the last reader holds, and finds the old one there.
   - An expansion is installed by a reader, under the same lock, pointer first and bit second. It leaves later than that,
     so a leave that sees no bit is never the last one while there is an expansion. */
#pragma once

#include "storage/object_block.hpp"

namespace kubecoro::detail {

/// One more of a handle that is alive.
inline void add_reader(object::block& b) noexcept { b.counts.fetch_add(1, std::memory_order_relaxed); }
/// A reader out of a keeper.
void add_first_reader(object::block& b) noexcept;
void drop_reader(object::block& b) noexcept;

void add_keeper(object::block& b) noexcept;
void drop_keeper(object::block& b) noexcept;

/// The whole object, for as long as the calling reader keeps its handle; null when the record is broken.
[[nodiscard]] const plain_block* whole(const object::block& b) noexcept;

/// Before anybody else has the block: gives it its expansion. The caller is its only reader.
void attach_expansion(packed_block& b, const plain_block* whole) noexcept;

/// Heap bytes of the block; those of its expansion.
[[nodiscard]] std::size_t resting_bytes(const object::block& b) noexcept;
[[nodiscard]] std::size_t expansion_bytes(const object::block& b) noexcept;

void free_plain(const plain_block* b) noexcept;

} // namespace kubecoro::detail
