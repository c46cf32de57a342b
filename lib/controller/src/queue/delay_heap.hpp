#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubecoro::detail {

/** Slots waiting for a due time, the earliest on top: a heap with four children per node, whose nodes can be found
    by slot.

    Sans-io, not thread safe. 16 bytes per waiting slot and 4 per slot; no allocation once it has grown. */
class delay_heap
{
public:
    struct node
    {
        time_point due;
        std::uint32_t slot;
        std::int32_t priority;
    };

    /// Makes the slot wait until n.due, or until its present due time if that is earlier; the higher priority is kept.
    /// @return whether it is now the first.
    bool push(node n);
    [[nodiscard]] const node& top() const noexcept { return nodes_.front(); }
    node pop() noexcept;
    /// Makes the slot wait until n.due, whatever its present due time is. @return whether it is now the first.
    bool set(const node& n);
    /// Does nothing when the slot does not wait.
    void remove(std::uint32_t slot) noexcept;
    /// After this, push() and set() of slots below `slots` do not allocate.
    void make_room(std::size_t slots);
    void clear() noexcept;
    /// Releases memory.
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
    [[nodiscard]] time_point due(std::uint32_t slot) const noexcept
    {
        KUBECORO_EXPECT(contains(slot));
        return nodes_[place_[slot]].due;
    }
    [[nodiscard]] const std::vector<node>& nodes() const noexcept { return nodes_; }

private:
    static constexpr std::uint32_t nowhere = UINT32_MAX;

    [[nodiscard]] std::size_t place_of(std::uint32_t slot);
    void put(std::size_t at, const node& n) noexcept;
    /// Puts a node near `at`, where its due time belongs.
    void settle(std::size_t at, const node& n) noexcept;
    void rise(std::size_t at, const node& n) noexcept;
    void sink(std::size_t at, const node& n) noexcept;

    std::vector<node> nodes_;
    /// By slot: the position of its node.
    std::vector<std::uint32_t> place_;
};

} // namespace kubecoro::detail
