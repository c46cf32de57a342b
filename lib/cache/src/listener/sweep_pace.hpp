#pragma once

#include <algorithm>
#include <cstddef>

namespace kubecoro::detail {

/** Says when a table is to be searched for entries that have ended: whenever it has doubled, so that an entry costs no
    more than its share of a few searches, and never more than twice the living ones (or 64) are kept. */
class sweep_pace
{
public:
    [[nodiscard]] bool due(std::size_t entries) const noexcept { return entries >= at_; }
    void swept(std::size_t left) noexcept { at_ = std::max(least, 2 * left); }

private:
    static constexpr std::size_t least = 64;
    std::size_t at_ = least;
};

} // namespace kubecoro::detail
