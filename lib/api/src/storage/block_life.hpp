/* Lifetime of a block and of its expansion.

   Readers (object) and keepers (kept_object: tables that only store) are counted separately, in one word, together with
   a bit that is set while an expansion exists. A block lives while it has a reader or a keeper; an expansion lives
   while it has a reader.

   Why no reader ever uses a freed expansion:
   - Only the last reader removes it, in the same step in which it drops its count: the exchange of the word succeeds
     only if no reader has been added since it was read. A later reader gets its count by an acquire operation on that
     word, and so sees the cleared pointer.
   - A reader added before the exchange makes it fail, and the pointer is put back. In between, that reader may see a
     null pointer. It then requests an expansion, takes the lock that the last reader holds, and finds the old one.
   - An expansion is installed by a reader, under the same lock, pointer first and bit second. That reader drops its
     count later, so a drop that sees the bit unset is never the last one while an expansion exists. */
#pragma once

#include "storage/object_block.hpp"

namespace kubecoro::detail {

/// Adds a reader through an existing reader's handle.
inline void add_reader(object::block& b) noexcept { b.counts.fetch_add(1, std::memory_order_relaxed); }
/// Adds a reader through a keeper's handle.
void add_first_reader(object::block& b) noexcept;
void drop_reader(object::block& b) noexcept;

void add_keeper(object::block& b) noexcept;
void drop_keeper(object::block& b) noexcept;

/// The whole object, valid while the calling reader keeps its handle; null when the record is broken.
[[nodiscard]] const plain_block* whole(const object::block& b) noexcept;

/// Installs the expansion of a block that is not shared yet. The caller is its only reader.
void attach_expansion(packed_block& b, const plain_block* whole) noexcept;

/// Heap bytes of the block, and of its expansion.
[[nodiscard]] std::size_t resting_bytes(const object::block& b) noexcept;
[[nodiscard]] std::size_t expansion_bytes(const object::block& b) noexcept;

void free_plain(const plain_block* b) noexcept;

} // namespace kubecoro::detail
