#pragma once

#include <algorithm>
#include <cstddef>

namespace kubecoro::detail {

/** Decides when to search a table for ended entries: whenever it has doubled. Each entry then costs an amortised
    constant, and at most twice the live entries (or 64) are kept. */
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
