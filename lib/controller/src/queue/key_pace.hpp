#pragma once

#include "queue/delay_heap.hpp"
#include "queue/key_entries.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kubecoro::detail {

/** When keys may become ready: after they have been quiet for a while, and not too soon after the start of their last
    run.

    Sans-io, not thread safe. Knows two times of a key, and holds the keys that wait for them, and those whose interval
    since their last start has not passed, in a heap. Nothing in here allocates but make_room(). */
class key_pace
{
public:
    struct rules
    {
        duration debounce{0};
        /// Maximum delay by `debounce`, from the first add.
        duration max_debounce{0};
        duration min_interval{0};

        [[nodiscard]] bool any() const noexcept
        {
            return debounce > duration::zero() || min_interval > duration::zero();
        }
    };
    explicit key_pace(const rules& r) noexcept : rules_(r) {}

    /// An event has requested a run: the key must be quiet from now on.
    void event(key_slot s, time_point now) noexcept
    {
        times& t = times_[s];
        if (t.limit == never) t.limit = time_after(now, rules_.max_debounce);
        t.quiet = std::min(time_after(now, rules_.debounce), t.limit);
    }
    /// A run is due now, whatever events come.
    void due(key_slot s, time_point now) noexcept { times_[s].limit = times_[s].quiet = now; }
    /// The key was handed out.
    void started(key_slot s, time_point now) noexcept
    {
        times_[s] = {};
        if (rules_.min_interval <= duration::zero()) return;
        times_[s].cool = time_after(now, rules_.min_interval);
        hold(s, times_[s].cool);
    }
    /// The run since the last started() did not take place. The interval before it had passed already.
    void skipped(key_slot s) noexcept
    {
        times_[s].cool = never;
        heap_.remove(s);
    }

    /// Whether the interval since the last start has passed.
    [[nodiscard]] bool cool(key_slot s, time_point now) const noexcept { return times_[s].cool <= now; }
    /// When the key may become ready.
    [[nodiscard]] time_point allowed(key_slot s) const noexcept { return std::max(times_[s].quiet, times_[s].cool); }
    /// Whether the key waits, or its interval has not passed. A ready key is not held.
    [[nodiscard]] bool holds(key_slot s) const noexcept { return heap_.contains(s); }
    /// @return whether it is now the first.
    bool hold(key_slot s, time_point until) noexcept { return heap_.set({.due = until, .slot = s, .priority = 0}); }
    void release(key_slot s) noexcept { heap_.remove(s); }

    /// The keys that are held, the earliest time on top.
    [[nodiscard]] const delay_heap& held() const noexcept { return heap_; }
    key_slot pop() noexcept { return heap_.pop().slot; }
    void clear() noexcept { heap_.clear(); }

    void make_room(std::size_t slots)
    {
        if (times_.size() < slots) times_.resize(slots);
        heap_.make_room(slots);
    }
    void shrink() noexcept
    {
        times_ = std::vector<times>();
        heap_.shrink();
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return times_.capacity() * sizeof(times) + heap_.bytes(); }

private:
    static constexpr time_point never = time_point::min();

    struct times
    {
        /// The end of max_debounce; `never` while no add since the last hand-out asks for quiet.
        time_point limit = never;
        time_point quiet = never;
        /// The end of min_interval.
        time_point cool = never;
    };

    rules rules_;
    std::vector<times> times_;
    delay_heap heap_;
};

} // namespace kubecoro::detail
