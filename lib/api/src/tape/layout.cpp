#include "tape/layout.hpp"

#include <algorithm>

namespace kubecoro::detail {
namespace {

constexpr std::size_t first_nodes = 64;
// Search limit: a member farther away gets a second place.
constexpr int longest_search = 32;

} // namespace

layout::layout(std::size_t most) : capacity_(std::min(most, first_nodes)), most_(most)
{
    nodes_ = std::make_unique<node[]>(capacity_);
    publish_bytes();
}

layout::place layout::step_to(cursor& c, const entry* key, bool is_item)
{
    place p = find(c, key);
    if (p == nowhere && is_item && nodes_[c.next].is_item) {
        p = c.next;
        nodes_[p].key = key;
        nodes_[p].field = 0;
    }
    if (p == nowhere) p = add(c, key, is_item);
    if (p != nowhere) step(c, p);
    return p;
}

layout::place layout::find(const cursor& c, const entry* key) const noexcept
{
    place p = c.next;
    for (int i = 0; p != nowhere && i < longest_search; ++i, p = nodes_[p].next)
        if (nodes_[p].key == key) return p;
    return nowhere;
}

layout::place layout::add(const cursor& c, const entry* key, bool is_item)
{
    if (c.container == nowhere) return nowhere;
    if (used_ == capacity_ && !grow()) return nowhere;
    const auto made = static_cast<place>(used_++);
    place& link = c.last == nowhere ? nodes_[c.container].child : nodes_[c.last].next;
    nodes_[made] = {.key = key, .next = link, .is_item = is_item};
    link = made;
    return made;
}

bool layout::grow()
{
    full_ = capacity_ == most_;
    if (full_) return false;
    const std::size_t wanted = std::min(capacity_ * 2, most_);
    auto bigger = std::make_unique<node[]>(wanted);
    std::copy_n(nodes_.get(), capacity_, bigger.get());
    nodes_ = std::move(bigger);
    capacity_ = wanted;
    publish_bytes();
    return true;
}

void layout::clear() noexcept
{
    std::fill_n(nodes_.get(), capacity_, node{});
    used_ = 2;
    full_ = false;
    repeats_.clear();
    former_.clear();
    publish_bytes();
}

void layout::remember(place p, std::string_view text, std::span<const unsigned char> tape, const repeats::terms& when)
{
    const repeats::number last = nodes_[p].repeated;
    const repeats::entry& replaced = repeats_.at(last);
    if (replaced.copied && !replaced.when.owner && replaced.text.size() >= former_repeats::shortest)
        former_.keep(repeats_.take(last));
    nodes_[p].repeated = repeats_.put(last, text, tape, when);
    publish_bytes();
}

} // namespace kubecoro::detail
