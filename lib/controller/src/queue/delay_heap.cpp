#include "queue/delay_heap.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <cstdint>

namespace kubecoro::detail {
namespace {

constexpr std::size_t children = 4;

} // namespace

void delay_heap::put(std::size_t at, const node& n) noexcept
{
    nodes_[at] = n;
    place_[n.slot] = static_cast<std::uint32_t>(at);
}

void delay_heap::rise(std::size_t at, const node& n) noexcept
{
    while (at > 0) {
        const std::size_t parent = (at - 1) / children;
        if (!(n.due < nodes_[parent].due)) break;
        put(at, nodes_[parent]);
        at = parent;
    }
    put(at, n);
}

void delay_heap::sink(std::size_t at, const node& n) noexcept
{
    for (;;) {
        const std::size_t first = at * children + 1;
        if (first >= nodes_.size()) break;
        const std::size_t last = std::min(first + children, nodes_.size());
        std::size_t earliest = first;
        for (std::size_t i = first + 1; i < last; ++i)
            if (nodes_[i].due < nodes_[earliest].due) earliest = i;
        if (!(nodes_[earliest].due < n.due)) break;
        put(at, nodes_[earliest]);
        at = earliest;
    }
    put(at, n);
}

void delay_heap::settle(std::size_t at, const node& n) noexcept
{
    if (at > 0 && n.due < nodes_[(at - 1) / children].due)
        rise(at, n);
    else
        sink(at, n);
}

/// The position of the slot's node, which is added when there is none.
std::size_t delay_heap::place_of(std::uint32_t slot)
{
    if (slot >= place_.size()) place_.resize(std::max<std::size_t>(slot + 1, place_.size() * 2), nowhere);
    if (place_[slot] != nowhere) return place_[slot];
    nodes_.push_back({.due = time_point::max(), .slot = slot, .priority = INT32_MIN});
    return nodes_.size() - 1;
}

bool delay_heap::push(node n)
{
    const std::size_t at = place_of(n.slot);
    n.due = std::min(n.due, nodes_[at].due);
    n.priority = std::max(n.priority, nodes_[at].priority);
    rise(at, n);
    return nodes_.front().slot == n.slot;
}

bool delay_heap::set(const node& n)
{
    settle(place_of(n.slot), n);
    return nodes_.front().slot == n.slot;
}

delay_heap::node delay_heap::pop() noexcept
{
    const node out = nodes_.front();
    remove(out.slot);
    return out;
}

void delay_heap::remove(std::uint32_t slot) noexcept
{
    if (!contains(slot)) return;
    const std::size_t at = place_[slot];
    place_[slot] = nowhere;
    const node last = nodes_.back();
    nodes_.pop_back();
    if (at < nodes_.size()) settle(at, last);
}

void delay_heap::make_room(std::size_t slots)
{
    if (slots > place_.size()) place_.resize(slots, nowhere);
    if (slots > nodes_.capacity()) nodes_.reserve(std::max(slots, nodes_.capacity() * 2));
}

void delay_heap::clear() noexcept
{
    for (const auto& n : nodes_) place_[n.slot] = nowhere;
    nodes_.clear();
}

void delay_heap::shrink() noexcept
{
    KUBECORO_EXPECT(empty());
    nodes_ = std::vector<node>();
    place_ = std::vector<std::uint32_t>();
}

} // namespace kubecoro::detail
