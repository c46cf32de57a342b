#pragma once

#include <cstddef>

namespace kubecoro::detail {

// An item costs some 80 bytes however short its text is. To keep the cost of a page in proportion to its length, the
// items beyond the first ones must have at least this mean length; an item with a name is longer.
inline constexpr std::size_t shortest_item = 16;
inline constexpr std::size_t items_for_free = 4096;

/// Returns how many items a list may have of which this many bytes have been received.
[[nodiscard]] constexpr std::size_t most_items(std::size_t received) noexcept
{
    return items_for_free + received / shortest_item;
}

} // namespace kubecoro::detail
