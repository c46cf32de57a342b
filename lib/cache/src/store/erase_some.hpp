#pragma once

#include <cstddef>
#include <optional>

namespace kubecoro::detail {

/// Erases all elements of a hash table, in steps: those from `at` on, which is kept for the next step. Takes their number
/// off `most`. Returns whether more are left.
template<class Table>
[[nodiscard]] bool erase_some(Table& table, std::optional<typename Table::iterator>& at, std::size_t& most) noexcept
{
    if (!at) at = table.begin();
    for (; most != 0 && *at != table.end(); --most) table.erase((*at)++);
    const bool more = *at != table.end();
    if (!more) at.reset();
    return more;
}

} // namespace kubecoro::detail
