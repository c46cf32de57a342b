#pragma once

#include "queue/fair_lanes.hpp"
#include "queue/key_entries.hpp"
#include "queue/level_set.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** The ready keys of a queue, and which of them is next: the highest level first, except for the hand-outs of ageing;
    within a level the oldest key, or in a fair queue the oldest of the class whose turn it is.

    Sans-io, not thread safe. Links the keys through their entries. */
class ready_keys
{
public:
    /// @param ageing  Out of every `ageing` hand-outs that pass over a lower level, the last serves one of those:
    ///                the level of the oldest key, or in a fair queue the lower levels in turn. 0 = never.
    ready_keys(key_entries& entries, unsigned ageing, bool fair)
        : entries_(entries), ageing_(ageing), fair_(fair ? std::make_unique<fair_lanes>() : nullptr)
    {
    }

    void add(key_slot s) noexcept;
    void remove(key_slot s) noexcept;
    /// Takes out the next key.
    [[nodiscard]] key_slot take() noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// The ready keys of one class.
    struct class_size
    {
        std::uint64_t of;
        /// One of them.
        key_slot example;
        std::size_t keys;
    };
    static constexpr std::size_t shown_classes = 10;
    using class_sizes = boost::container::static_vector<class_size, shown_classes>;
    /// Lanes that an observer looks at, so that it does not hold the queue's lock for long.
    static constexpr std::size_t lanes_looked_at = 4'096;
    /// The classes with the most ready keys, the largest first; with more lanes than `lanes_looked_at`, of some of them.
    [[nodiscard]] class_sizes largest_classes() const noexcept;
    /// Number of lanes, which is that of classes with ready keys if these have one priority.
    [[nodiscard]] std::size_t lanes() const noexcept { return fair_ ? fair_->active() : 0; }
    /// The key that became ready first; with more lanes than `lanes_looked_at`, of those of some of them.
    [[nodiscard]] key_slot oldest() const noexcept;

    [[nodiscard]] bool fair() const noexcept { return fair_ != nullptr; }
    /// Sets the class of a key of a fair queue that is not ready.
    void classify(key_slot s, std::uint64_t of) noexcept
    {
        KUBECORO_EXPECT(fair_);
        fair_->classify(s, of);
    }
    void make_room(std::size_t slots)
    {
        if (fair_) fair_->make_room(slots);
    }
    void shrink() noexcept
    {
        if (fair_) fair_->shrink();
    }
    /// Memory beside the entries.
    [[nodiscard]] std::size_t bytes() const noexcept { return fair_ ? fair_->bytes() : 0; }

private:
    static std::size_t level_of(const key_entry& e) noexcept
    {
        const int above_least = e.priority - priority::low;
        return static_cast<std::size_t>(above_least);
    }
    [[nodiscard]] bool empty(std::size_t level) const noexcept
    {
        return fair_ ? fair_->empty(level) : lists_[level].empty();
    }
    void unlink(key_slot s, std::size_t level) noexcept;
    [[nodiscard]] std::size_t choose_level() noexcept;
    [[nodiscard]] std::size_t aged_level() noexcept;
    template<class Do>
    void each_lane(Do what) const;

    key_entries& entries_;
    unsigned ageing_;
    std::unique_ptr<fair_lanes> fair_;
    /// Unused in a fair queue.
    std::array<slot_list, levels> lists_;
    level_set filled_;
    std::size_t size_ = 0;
    std::uint64_t next_sequence_ = 0;
    unsigned passed_over_ = 0;
    /// The lower level that ageing has served last.
    std::size_t last_aged_ = 0;
};

// ---- the hot path, inlined

inline void ready_keys::add(key_slot s) noexcept
{
    key_entry& e = entries_.at(s);
    const std::size_t level = level_of(e);
    e.sequence = next_sequence_++;
    if (empty(level)) filled_.insert(level);
    entries_.append(fair_ ? fair_->enter(s, level) : lists_[level], s, e);
    ++size_;
}

inline void ready_keys::unlink(key_slot s, std::size_t level) noexcept
{
    entries_.unlink(fair_ ? fair_->list_of(s) : lists_[level], entries_.at(s));
    if (fair_) fair_->left(s);
    if (empty(level)) filled_.erase(level);
    --size_;
}

inline void ready_keys::remove(key_slot s) noexcept { unlink(s, level_of(entries_.at(s))); }

inline std::size_t ready_keys::choose_level() noexcept
{
    if (filled_.size() == 1 || ageing_ == 0) passed_over_ = 0;
    if (filled_.size() == 1 || ageing_ == 0 || ++passed_over_ < ageing_) return filled_.top();
    passed_over_ = 0;
    return aged_level();
}

inline key_slot ready_keys::take() noexcept
{
    KUBECORO_EXPECT(size_ != 0);
    const std::size_t level = choose_level();
    const key_slot s = fair_ ? fair_->first(level) : lists_[level].first;
    if (fair_) fair_->turn(level);
    unlink(s, level);
    return s;
}

} // namespace kubecoro::detail
