#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubecoro::detail {

/** Slots that wait for a moment, the earliest on top: a heap of four children a node, whose nodes can be found by slot.

    Sans-io, not thread safe. 16 bytes a waiting slot and 4 a slot; no allocation once it has grown. */
class delay_heap
{
public:
    struct node
    {
        time_point due;
        std::uint32_t slot;
        std::int32_t priority;
    };

    /// The slot waits until n.due, or until the moment before it when it waits already; the higher priority stays.
    /// @return whether it is the first one now.
    bool push(node n);
    [[nodiscard]] const node& top() const noexcept { return nodes_.front(); }
    node pop();
    void clear() noexcept;
    /// Gives memory back; to be called when empty.
    void shrink() noexcept;

    [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept
    {
        return nodes_.capacity() * sizeof(node) + place_.capacity() * sizeof(place_[0]);
    }
    [[nodiscard]] bool contains(std::uint32_t slot) const noexcept
    {
        return slot < place_.size() && place_[slot] != nowhere;
    }
    /// Only of a slot that waits.
    [[nodiscard]] time_point due(std::uint32_t slot) const noexcept { return nodes_[place_[slot]].due; }
    [[nodiscard]] const std::vector<node>& nodes() const noexcept { return nodes_; }

private:
    static constexpr std::uint32_t nowhere = UINT32_MAX;

    void put(std::size_t at, const node& n) noexcept;
    void rise(std::size_t at, const node& n) noexcept;
    void sink(std::size_t at, const node& n) noexcept;

    std::vector<node> nodes_;
    /// Where a slot's node is.
    std::vector<std::uint32_t> place_;
};

} // namespace kubecoro::detail
