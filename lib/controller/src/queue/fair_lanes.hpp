#pragma once

#include "queue/key_entries.hpp"
#include "queue/level_set.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/controller/detail/slot_index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kubecoro::detail {

/** The ready keys of a fair queue: a lane for each class at each level, and a ring for each level, in which its lanes
    take turns.

    Sans-io, not thread safe. A lane exists while it has keys. A new one joins its ring at the back, behind every lane
    that waits for its turn, so that a class gains nothing from keys that come and go. Every operation takes constant
    time. Memory: 16 bytes a slot, about 50 a lane.

    Classes are numbers, derived from their names by a keyed hash: classes with equal numbers would share a lane. When
    a lane cannot be allocated its keys join the level's shared lane, which always exists. */
class fair_lanes
{
public:
    using lane_id = std::uint32_t;

    fair_lanes();

    void make_room(std::size_t slots)
    {
        if (places_.size() < slots) places_.resize(slots);
    }
    /// Sets the class of a slot that is not in a lane.
    void classify(key_slot s, std::uint64_t of) noexcept
    {
        KUBECORO_EXPECT(s < places_.size() && places_[s].lane == none);
        places_[s].of = of;
    }

    /// The list of the key's class at this level, with one more key. The caller appends the key.
    slot_list& enter(key_slot s, std::size_t level) noexcept;
    /// The list that the key is in.
    [[nodiscard]] slot_list& list_of(key_slot s) noexcept { return lanes_[places_[s].lane].keys; }
    /// Called when the key has been taken out of its list: a lane without keys is freed.
    void left(key_slot s) noexcept;

    [[nodiscard]] bool empty(std::size_t level) const noexcept { return rings_[level].first == none; }
    /// The first key of the lane whose turn it is.
    [[nodiscard]] key_slot first(std::size_t level) const noexcept
    {
        KUBECORO_EXPECT(!empty(level));
        return lanes_[rings_[level].first].keys.first;
    }
    /// Ends the turn of that lane, which moves to the back.
    void turn(std::size_t level) noexcept;

    /// Number of lanes that have keys.
    [[nodiscard]] std::size_t active() const noexcept { return active_; }
    /// Calls `what(class number, first key, number of keys)` for up to `max` lanes of a level, in order of their turns.
    /// @return how many there were.
    template<class Do>
    std::size_t each(std::size_t level, std::size_t max, Do what) const
    {
        std::size_t n = 0;
        for (lane_id l = rings_[level].first; l != none && n < max; l = lanes_[l].next, ++n)
            what(lanes_[l].of, lanes_[l].keys.first, lanes_[l].count);
        return n;
    }

    void shrink() noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept
    {
        return places_.capacity() * sizeof(place) + lanes_.capacity() * sizeof(lane) + index_.bytes();
    }

private:
    static constexpr lane_id none = UINT32_MAX;

    /// The class of a slot, and its lane while it is ready.
    struct place
    {
        std::uint64_t of = 0;
        lane_id lane = none;
    };
    struct lane
    {
        std::uint64_t of = 0;
        slot_list keys = {};
        /// In the ring; `next` also links the free lanes.
        lane_id next = none;
        lane_id previous = none;
        std::uint32_t count = 0;
        std::uint32_t level = 0;
    };
    struct ring
    {
        lane_id first = none;
        lane_id last = none;
    };

    static slot_index::hash hash_of(std::uint64_t of, std::size_t level) noexcept;
    [[nodiscard]] lane_id find_or_make(std::uint64_t of, std::size_t level) noexcept;
    [[nodiscard]] lane_id make(std::uint64_t of, std::size_t level);
    void append(lane_id l) noexcept;
    void unlink(lane_id l) noexcept;

    std::vector<place> places_;
    /// The first ones are the shared lanes of the levels.
    std::vector<lane> lanes_;
    lane_id first_free_ = none;
    /// Lanes with keys by class and level, without the shared ones.
    slot_index index_;
    std::array<ring, levels> rings_;
    std::size_t active_ = 0;
};

} // namespace kubecoro::detail
