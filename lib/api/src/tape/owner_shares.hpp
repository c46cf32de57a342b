// Divides the room of a table among the owners of its content.
#pragma once

#include <kubecoro/base/hash.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kubecoro::detail {

/** Amounts taken by the owners of a table's content, such as namespaces.

    An owner may take more while it holds at most `factor` times the free room, as queues share the buffer of a switch
    ("dynamic thresholds"). One owner can fill three quarters of a table and n owners 3n/(1+3n) of it: no part is
    reserved in advance, and no owner leaves the others without room. An owner is one of 255 numbers: those with equal
    numbers share one part. */
class owner_shares
{
public:
    using owner = std::uint8_t;
    /// Content without an owner, which has no limit of its own.
    static constexpr owner none = 0;
    static constexpr std::size_t factor = 3;

    [[nodiscard]] static owner of(std::string_view name) noexcept
    {
        return name.empty() ? none : static_cast<owner>(1 + hash_text(name) % 255);
    }
    /// @param free  The free room, in the unit of all amounts.
    [[nodiscard]] bool may_take(owner o, std::size_t amount, std::size_t free) const noexcept
    {
        return amount <= free && (o == none || taken_[o] <= factor * free);
    }
    void take(owner o, std::size_t amount) noexcept { taken_[o] += static_cast<std::uint32_t>(amount); }

private:
    std::array<std::uint32_t, 256> taken_{};
};

} // namespace kubecoro::detail
