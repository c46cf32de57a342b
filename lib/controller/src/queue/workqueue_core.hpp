#pragma once

#include "queue/delay_heap.hpp"

#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** The decisions of a workqueue: which key runs next, and how a key added again is merged.

    Sans-io, not thread safe. Keys are identified by small numbers (slots); an idle() slot may be reused for another
    key. Dirty = needs a run; processing = held by a worker. A key that is both waits for done(). Ready keys form one
    queue per priority, linked through the entries; keys being processed form another, the longest running first. */
class workqueue_core
{
public:
    using slot = std::uint32_t;
    static constexpr slot none = UINT32_MAX;
    static constexpr int max_priority = 100;

    /// @param ageing  Out of every `ageing` hand-outs that pass over a lower priority, the last takes the key that has
    ///                waited longest. 0 = never.
    /// @param timed   Whether waited(), started() and the values derived from them will be used.
    workqueue_core(unsigned ageing, bool timed) : ageing_(ageing), timed_(timed) {}

    enum class added
    {
        /// The queue is shut down.
        ignored,
        /// It was waiting already.
        merged,
        /// It is being processed, and becomes ready when done.
        after_work,
        /// It is delayed.
        delayed,
        /// It is delayed, and due before all others.
        delayed_first,
        /// It is ready now.
        ready
    };
    added add(slot s, int priority, time_point now) noexcept
    {
        return shutting_down_ ? added::ignored : mark(s, priority, now);
    }
    added add_after(slot s, duration delay, int priority, time_point now);
    /// add_after() with a limiter's delay for failures(s), and one more failure.
    added add_rate_limited(slot s, duration delay, int priority, time_point now);
    /// Reports a failure of the current run: as add_rate_limited(), but while an earlier retry is still delayed the
    /// failure is not counted, so that events between two retries do not increase the delay.
    added retry(slot s, duration delay, int priority, time_point now);
    /// The number of failures before that of the current run, for the limiter.
    [[nodiscard]] unsigned failures_before(slot s) const noexcept { return failures(s) - (counted_already(s) ? 1 : 0); }

    /// Takes the next key, which is then being processed. none when no key is ready.
    [[nodiscard]] slot take(time_point now) noexcept;
    /// The priority with which it was handed out; for a key being processed that was not added again.
    [[nodiscard]] int priority(slot s) const noexcept { return at(s).priority; }
    /// Ends the run. @return whether the key is ready again.
    bool done(slot s) noexcept;
    /// Called before done(): the run did not take place. The key then becomes ready again, even after a shutdown.
    void want_again(slot s, int priority, time_point now) noexcept { mark(s, priority, now); }

    struct moved
    {
        /// Became dirty: ready now, or ready when the run is done.
        std::size_t dirty = 0;
        std::size_t ready = 0;
    };
    /// Makes up to `max` keys ready that are due.
    moved advance(time_point now, std::size_t max);
    [[nodiscard]] std::optional<time_point> next_due() const noexcept
    {
        if (delays_.empty()) return std::nullopt;
        return delays_.top().due;
    }

    /// The due time of a delayed key.
    [[nodiscard]] std::optional<time_point> waits_until(slot s) const noexcept
    {
        if (!delays_.contains(s)) return std::nullopt;
        return delays_.due(s);
    }

    void forget(slot s) noexcept { at(s).failures = 0; }
    [[nodiscard]] unsigned failures(slot s) const noexcept { return at(s).failures; }
    /// Precondition: the key is being processed.
    [[nodiscard]] duration waited(slot s) const noexcept { return moments_[s].started - moments_[s].added; }
    [[nodiscard]] time_point started(slot s) const noexcept { return moments_[s].started; }

    /// Accepts no more keys. Ready keys are still handed out; delayed ones are dropped, and their slots returned.
    std::vector<slot> shut_down();
    [[nodiscard]] bool shutting_down() const noexcept { return shutting_down_; }
    /// True when no key is ready or being processed.
    [[nodiscard]] bool quiet() const noexcept { return ready_ == 0 && processing_ == 0; }

    /// True when nothing is stored for the slot.
    [[nodiscard]] bool idle(slot s) const noexcept
    {
        const entry& e = at(s);
        return !e.dirty && !e.processing && e.failures == 0 && !delays_.contains(s);
    }
    void make_room(slot s)
    {
        if (s / page_size >= pages_.size()) add_pages(s);
    }
    /// Releases memory. Precondition: every slot is idle.
    void shrink() noexcept;

    [[nodiscard]] std::size_t ready() const noexcept { return ready_; }
    [[nodiscard]] std::size_t dirty() const noexcept { return dirty_; }
    [[nodiscard]] std::size_t processing() const noexcept { return processing_; }
    [[nodiscard]] std::size_t delayed() const noexcept { return delays_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept
    {
        return pages_.size() * (sizeof(page) + sizeof(pages_[0])) + moments_.capacity() * sizeof(moments) +
               delays_.bytes();
    }
    /// The slots being processed, the longest running first.
    [[nodiscard]] std::vector<slot> in_work(std::size_t max) const;
    [[nodiscard]] std::optional<time_point> oldest_start() const noexcept;
    /// Sum over all runs in progress, since their start.
    [[nodiscard]] duration unfinished(time_point now) const noexcept;

private:
    static constexpr std::size_t levels = 2 * max_priority + 1;
    static constexpr std::size_t word_bits = 64;

    struct entry
    {
        slot next = none;
        slot previous = none;
        /// Orders the ready keys by age.
        std::uint64_t sequence = 0;
        std::uint32_t failures = 0;
        std::int16_t priority = 0;
        bool dirty = false;
        bool processing = false;
    };
    /// Times of a key's last run, stored separately because most queues have no metrics.
    struct moments
    {
        time_point added;
        time_point started;
    };
    struct list
    {
        slot first = none;
        slot last = none;
    };

    /// In pages, so that a growing queue copies nothing.
    static constexpr std::size_t page_size = 64;
    using page = std::array<entry, page_size>;

    [[nodiscard]] entry& at(slot s) noexcept { return (*pages_[s / page_size])[s % page_size]; }
    [[nodiscard]] const entry& at(slot s) const noexcept { return (*pages_[s / page_size])[s % page_size]; }
    static std::size_t level_of(const entry& e) noexcept
    {
        const int above_least = e.priority + max_priority;
        return static_cast<std::size_t>(above_least);
    }

    void append(list& l, slot s, entry& e) noexcept;
    void unlink(list& l, const entry& e) noexcept;
    void make_ready(slot s, entry& e) noexcept;
    void remove_ready(const entry& e) noexcept;
    added mark(slot s, int priority, time_point now) noexcept;
    void raise(slot s, entry& e, int priority) noexcept;
    [[nodiscard]] bool counted_already(slot s) const noexcept { return at(s).failures != 0 && delays_.contains(s); }
    added delay_until(slot s, time_point due, int priority);

    [[nodiscard]] std::size_t top_level() const noexcept;
    [[nodiscard]] std::size_t oldest_level() const noexcept;
    [[nodiscard]] std::size_t choose_level() noexcept;
    void add_pages(slot s);

    unsigned ageing_;
    bool timed_;
    std::vector<std::unique_ptr<page>> pages_;
    /// By slot; empty unless timed_.
    std::vector<moments> moments_;
    /// Ready keys by priority, the highest last; one bit per non-empty list.
    std::array<list, levels> queues_;
    std::array<std::uint64_t, (levels + word_bits - 1) / word_bits> filled_{};
    list work_;
    delay_heap delays_;
    std::size_t filled_levels_ = 0;
    std::size_t ready_ = 0;
    std::size_t dirty_ = 0;
    std::size_t processing_ = 0;
    std::uint64_t next_sequence_ = 0;
    unsigned passed_over_ = 0;
    bool shutting_down_ = false;
};

// ---- the hot path, inlined

inline void workqueue_core::append(list& l, slot s, entry& e) noexcept
{
    e.next = none;
    e.previous = l.last;
    (l.last == none ? l.first : at(l.last).next) = s;
    l.last = s;
}

inline void workqueue_core::unlink(list& l, const entry& e) noexcept
{
    (e.previous == none ? l.first : at(e.previous).next) = e.next;
    (e.next == none ? l.last : at(e.next).previous) = e.previous;
}

inline void workqueue_core::make_ready(slot s, entry& e) noexcept
{
    const std::size_t level = level_of(e);
    e.sequence = next_sequence_++;
    if (queues_[level].first == none) {
        filled_[level / word_bits] |= std::uint64_t{1} << (level % word_bits);
        ++filled_levels_;
    }
    append(queues_[level], s, e);
    ++ready_;
}

inline void workqueue_core::remove_ready(const entry& e) noexcept
{
    const std::size_t level = level_of(e);
    unlink(queues_[level], e);
    if (queues_[level].first == none) {
        filled_[level / word_bits] &= ~(std::uint64_t{1} << (level % word_bits));
        --filled_levels_;
    }
    --ready_;
}

inline workqueue_core::added workqueue_core::mark(slot s, int priority, time_point now) noexcept
{
    entry& e = at(s);
    const int wanted = std::clamp(priority, -max_priority, max_priority);
    if (e.dirty) {
        if (wanted > e.priority) raise(s, e, wanted);
        return added::merged;
    }
    e.dirty = true;
    e.priority = static_cast<std::int16_t>(wanted);
    if (timed_) moments_[s].added = now;
    ++dirty_;
    if (e.processing) return added::after_work;
    make_ready(s, e);
    return added::ready;
}

inline std::size_t workqueue_core::top_level() const noexcept
{
    std::size_t w = filled_.size() - 1;
    while (filled_[w] == 0) --w;
    return w * word_bits + (word_bits - 1) - static_cast<std::size_t>(std::countl_zero(filled_[w]));
}

inline std::size_t workqueue_core::choose_level() noexcept
{
    if (filled_levels_ == 1 || ageing_ == 0) passed_over_ = 0;
    if (filled_levels_ == 1 || ageing_ == 0 || ++passed_over_ < ageing_) return top_level();
    passed_over_ = 0;
    return oldest_level();
}

inline workqueue_core::slot workqueue_core::take(time_point now) noexcept
{
    if (ready_ == 0) return none;
    const slot s = queues_[choose_level()].first;
    entry& e = at(s);
    remove_ready(e);
    e.dirty = false;
    --dirty_;
    e.processing = true;
    if (timed_) moments_[s].started = now;
    append(work_, s, e);
    ++processing_;
    return s;
}

inline bool workqueue_core::done(slot s) noexcept
{
    entry& e = at(s);
    unlink(work_, e);
    --processing_;
    e.processing = false;
    if (e.dirty) make_ready(s, e);
    return e.dirty;
}

} // namespace kubecoro::detail
