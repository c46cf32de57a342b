#include "queue/fair_lanes.hpp"

#include <new>
#include <utility>

namespace kubecoro::detail {

fair_lanes::fair_lanes() : lanes_(levels)
{
    for (std::size_t level = 0; level < levels; ++level) lanes_[level].level = static_cast<std::uint32_t>(level);
}

slot_index::hash fair_lanes::hash_of(std::uint64_t of, std::size_t level) noexcept
{
    // The number is already unpredictable; only the levels of one class have to differ.
    return slot_index::hash_of(of + level * 0x9e3779b97f4a7c15u);
}

slot_list& fair_lanes::enter(key_slot s, std::size_t level) noexcept
{
    const lane_id l = find_or_make(places_[s].of, level);
    places_[s].lane = l;
    if (lanes_[l].count++ == 0) {
        append(l);
        ++active_;
    }
    return lanes_[l].keys;
}

void fair_lanes::left(key_slot s) noexcept
{
    const lane_id l = std::exchange(places_[s].lane, none);
    lane& of = lanes_[l];
    if (--of.count != 0) return;
    unlink(l);
    --active_;
    if (l < levels) return; // shared lanes stay
    index_.erase(hash_of(of.of, of.level), l);
    of.next = std::exchange(first_free_, l);
}

void fair_lanes::turn(std::size_t level) noexcept
{
    const lane_id l = rings_[level].first;
    if (l == rings_[level].last) return;
    unlink(l);
    append(l);
}

fair_lanes::lane_id fair_lanes::find_or_make(std::uint64_t of, std::size_t level) noexcept
{
    const lane_id found =
        index_.find(hash_of(of, level), [&](lane_id l) { return lanes_[l].of == of && lanes_[l].level == level; });
    if (found != none) return found;
    try {
        return make(of, level);
    } catch (const std::bad_alloc&) {
        return static_cast<lane_id>(level);
    }
}

fair_lanes::lane_id fair_lanes::make(std::uint64_t of, std::size_t level)
{
    index_.make_room();
    if (first_free_ == none) {
        lanes_.emplace_back();
        first_free_ = static_cast<lane_id>(lanes_.size() - 1);
    }
    const lane_id l = first_free_;
    first_free_ = lanes_[l].next;
    lanes_[l] = lane{.of = of, .level = static_cast<std::uint32_t>(level)};
    index_.insert(hash_of(of, level), l);
    return l;
}

void fair_lanes::append(lane_id l) noexcept
{
    ring& r = rings_[lanes_[l].level];
    lanes_[l].next = none;
    lanes_[l].previous = r.last;
    (r.last == none ? r.first : lanes_[r.last].next) = l;
    r.last = l;
}

void fair_lanes::unlink(lane_id l) noexcept
{
    const lane& of = lanes_[l];
    ring& r = rings_[of.level];
    (of.previous == none ? r.first : lanes_[of.previous].next) = of.next;
    (of.next == none ? r.last : lanes_[of.next].previous) = of.previous;
}

void fair_lanes::shrink() noexcept
{
    places_ = std::vector<place>();
    index_ = slot_index();
    lanes_.resize(levels); // the others are free by now
    lanes_.shrink_to_fit();
    first_free_ = none;
}

} // namespace kubecoro::detail
