#include "queue/ready_keys.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>

namespace kubecoro::detail {
namespace {

/// Adds the keys of a lane to those of its class, or replaces the smallest class of a full table.
void count(ready_keys::class_sizes& sizes, const ready_keys::class_size& lane)
{
    const auto same = std::find_if(sizes.begin(), sizes.end(), [&](const auto& c) { return c.of == lane.of; });
    if (same != sizes.end()) {
        same->keys += lane.keys;
    } else if (sizes.size() < sizes.capacity()) {
        sizes.push_back(lane);
    } else {
        const auto smallest =
            std::min_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.keys < b.keys; });
        if (smallest->keys < lane.keys) *smallest = lane;
    }
}

} // namespace

std::size_t ready_keys::aged_level() noexcept
{
    if (fair_) {
        // Not the level of the oldest key: that of a class with many old keys would keep the others waiting.
        last_aged_ = filled_.below(last_aged_);
        if (last_aged_ == filled_.top()) last_aged_ = filled_.below(last_aged_);
        return last_aged_;
    }
    return level_of(entries_.at(oldest()));
}

template<class Do>
void ready_keys::each_lane(Do what) const
{
    std::size_t left = lanes_looked_at;
    filled_.each([&](std::size_t level) { left -= fair_->each(level, left, what); });
}

ready_keys::class_sizes ready_keys::largest_classes() const noexcept
{
    class_sizes sizes;
    if (!fair_) return sizes;
    each_lane([&](std::uint64_t of, key_slot first, std::size_t keys) { count(sizes, {of, first, keys}); });
    std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.keys > b.keys; });
    return sizes;
}

key_slot ready_keys::oldest() const noexcept
{
    KUBECORO_EXPECT(size_ != 0);
    key_slot oldest = no_slot;
    const auto consider = [&](key_slot s) {
        if (oldest == no_slot || entries_.at(s).sequence < entries_.at(oldest).sequence) oldest = s;
    };
    if (fair_)
        each_lane([&](std::uint64_t, key_slot first, std::size_t) { consider(first); });
    else
        filled_.each([&](std::size_t level) { consider(lists_[level].first); });
    return oldest;
}

} // namespace kubecoro::detail
