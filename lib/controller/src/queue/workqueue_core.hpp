#pragma once
// The decisions of a workqueue, for every event of every controller.
//
// A key is interned once into a small number, its slot, and all that follows is arithmetic on slots: the core is one
// piece of code for all types of keys, compares no text and allocates nothing while a key goes round. The entry of a
// slot (key_entries.hpp) has the links of the one list that the key is in, of those that are ready or those that are
// processed, so moving a key is a few writes, and no list can disagree with another.
//
// An event that finds its key dirty changes nothing, and that is the usual case under load: it costs the look-up of
// the key. A key that is added while it is processed waits for done(), so that no key runs twice at a time. These two
// rules are client-go's.
//
// Levels of priority are a bit set and one list each; the next key is the first of the highest level. A fair queue
// puts classes that take turns in between (fair_lanes.hpp). Delays are a heap of slots, where a key has at most one
// place.
//
// The owner holds one short lock around each call (queue_mutex.hpp), rather than a strand: a hop to a strand costs
// more than all of this. docs/decisions/0003-workqueue.md has the figures.

#include "queue/delay_heap.hpp"
#include "queue/key_entries.hpp"
#include "queue/key_pace.hpp"
#include "queue/ready_keys.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** The decisions of a workqueue: which key runs next, and how a key added again is merged.

    Sans-io, not thread safe. Keys are identified by small numbers (slots); an idle() slot may be reused for another
    key. Dirty = needs a run; processing = with a worker. A key that is both waits for done(). A dirty key that is not
    being processed is ready, or held by its pace: until it is quiet, or its interval has passed. Keys being processed
    form a list, the longest running first. */
class workqueue_core
{
public:
    using slot = key_slot;
    static constexpr slot none = no_slot;

    struct rules
    {
        /// As in ready_keys.
        unsigned ageing = 0;
        /// Whether classes of keys take turns: classify() is then called for each new key.
        bool fair = false;
        /// Whether waited(), started() and the values derived from them will be used.
        bool timed = false;
        key_pace::rules pace = {};
    };
    explicit workqueue_core(const rules& r);
    workqueue_core(const workqueue_core&) = delete;
    workqueue_core& operator=(const workqueue_core&) = delete;

    [[nodiscard]] bool fair() const noexcept { return ready_.fair(); }
    /// Sets the class of a key of a fair queue that has just been stored.
    void classify(slot s, std::uint64_t of) noexcept
    {
        KUBECORO_EXPECT(idle(s));
        ready_.classify(s, of);
    }

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
        ready,
        /// It is held.
        held,
        /// It is held, and due before all others.
        held_first,
        /// It was waiting already, and is held until before all others are due.
        merged_first,
        /// It was waiting already, and is ready now.
        released
    };
    /// An event: the key has to be quiet first.
    added add(slot s, int priority, time_point now) noexcept
    {
        return shutting_down_ ? added::ignored : mark(s, priority, now, cause::event);
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
    /// Ends the run. @return `released` when the key is ready again, `merged` or `merged_first` when it is held,
    /// `ignored` when it needs no run.
    added done(slot s, time_point now) noexcept;
    /// Called before done(): the run did not take place, and counts as no start.
    void skip(slot s) noexcept
    {
        KUBECORO_EXPECT(at(s).processing);
        if (pace_) pace_->skipped(s);
    }
    /// skip(), and the key then becomes ready again, even after a shutdown.
    void want_again(slot s, int priority, time_point now) noexcept
    {
        skip(s);
        mark(s, priority, now, cause::due);
    }

    struct moved
    {
        /// Became dirty: ready now, or ready when the run is done.
        std::size_t dirty = 0;
        std::size_t ready = 0;
    };
    /// Makes up to `max` keys ready that are due. Appends to `idle`, which
    /// has room for them, slots that may be idle now.
    moved advance(time_point now, std::size_t max, std::vector<slot>& idle);
    [[nodiscard]] std::optional<time_point> next_due() const noexcept;

    /// The due time of a delayed key.
    [[nodiscard]] std::optional<time_point> waits_until(slot s) const noexcept
    {
        if (!delays_.contains(s)) return std::nullopt;
        return delays_.due(s);
    }

    void forget(slot s) noexcept { at(s).failures = 0; }
    [[nodiscard]] unsigned failures(slot s) const noexcept { return at(s).failures; }
    /// How long a key that is being processed was ready before.
    [[nodiscard]] duration waited(slot s) const noexcept
    {
        KUBECORO_EXPECT(timed_ && at(s).processing);
        return moments_[s].started - moments_[s].added;
    }
    [[nodiscard]] time_point started(slot s) const noexcept { return moments_[s].started; }

    /// Accepts no more keys. Ready keys are still handed out; delayed ones are dropped, and their slots returned. Keys
    /// that have to be quiet are ready at once; those whose interval has not passed are dropped, too.
    std::vector<slot> shut_down(time_point now);
    [[nodiscard]] bool shutting_down() const noexcept { return shutting_down_; }
    /// True when no key is ready or being processed.
    [[nodiscard]] bool quiet() const noexcept { return ready() == 0 && processing_ == 0; }

    /// True when nothing is stored for the slot.
    [[nodiscard]] bool idle(slot s) const noexcept
    {
        const key_entry& e = at(s);
        return !e.dirty && !e.processing && e.failures == 0 && !delays_.contains(s) && !is_held(s);
    }
    void make_room(slot s)
    {
        if (!entries_.has_room(s)) add_pages(s);
    }
    /// Releases memory when every slot is idle.
    void shrink() noexcept;

    [[nodiscard]] std::size_t ready() const noexcept { return ready_.size(); }
    [[nodiscard]] std::size_t dirty() const noexcept { return dirty_; }
    [[nodiscard]] std::size_t processing() const noexcept { return processing_; }
    [[nodiscard]] std::size_t delayed() const noexcept { return delays_.size(); }
    /// Keys that need a run and are held by their pace.
    [[nodiscard]] std::size_t held() const noexcept { return dirty_ - ready() - again_; }
    [[nodiscard]] std::size_t bytes() const noexcept
    {
        return entries_.bytes() + ready_.bytes() + moments_.capacity() * sizeof(moments) + delays_.bytes() +
               (pace_ ? pace_->bytes() : 0);
    }
    /// The slots being processed, the longest running first.
    [[nodiscard]] std::vector<slot> in_work(std::size_t max) const;
    [[nodiscard]] std::optional<time_point> oldest_start() const noexcept;
    /// The ready keys, for observers.
    [[nodiscard]] const ready_keys& waiting() const noexcept { return ready_; }
    /// How long the oldest ready key has been waiting; zero when none is ready.
    [[nodiscard]] duration oldest_wait(time_point now) const noexcept
    {
        KUBECORO_EXPECT(timed_);
        return ready() == 0 ? duration::zero() : now - moments_[ready_.oldest()].added;
    }
    /// Sum over all runs in progress, since their start.
    [[nodiscard]] duration unfinished(time_point now) const noexcept;

private:
    /// Times of a key's last run, stored separately because most queues have no metrics.
    struct moments
    {
        time_point added;
        time_point started;
    };
    [[nodiscard]] key_entry& at(slot s) noexcept { return entries_.at(s); }
    [[nodiscard]] const key_entry& at(slot s) const noexcept { return entries_.at(s); }

    enum class cause
    {
        event,
        /// A delay that has ended.
        due
    };
    added mark(slot s, int priority, time_point now, cause why) noexcept;
    added mark_again(slot s, int priority, time_point now, cause why) noexcept;
    [[nodiscard]] bool is_held(slot s) const noexcept { return pace_ && pace_->holds(s); }
    void note(slot s, time_point now, cause why) noexcept;
    [[nodiscard]] added admit(slot s, time_point now) noexcept;
    [[nodiscard]] added admit_again(slot s, time_point now) noexcept;
    void release(slot s, time_point now) noexcept;
    [[nodiscard]] bool end_hold(time_point now, std::vector<slot>& idle);
    void drop(slot s) noexcept;
    [[nodiscard]] bool counted_already(slot s) const noexcept { return at(s).failures != 0 && delays_.contains(s); }
    added delay_until(slot s, time_point due, int priority);
    void add_pages(slot s);

    key_entries entries_;
    ready_keys ready_;
    /// Null without debounce and minimum interval.
    std::unique_ptr<key_pace> pace_;
    bool timed_;
    /// By slot; empty unless timed_.
    std::vector<moments> moments_;
    slot_list work_;
    delay_heap delays_;
    std::size_t dirty_ = 0;
    std::size_t processing_ = 0;
    /// Dirty keys that are being processed.
    std::size_t again_ = 0;
    bool shutting_down_ = false;
};

// ---- the hot path, inlined

inline workqueue_core::added workqueue_core::mark(slot s, int priority, time_point now, cause why) noexcept
{
    key_entry& e = at(s);
    const int wanted = std::clamp(priority, priority::low, priority::high);
    if (e.dirty) return mark_again(s, wanted, now, why);
    e.dirty = true;
    e.priority = static_cast<std::int16_t>(wanted);
    if (timed_) moments_[s].added = now;
    ++dirty_;
    if (pace_) note(s, now, why);
    if (e.processing) {
        ++again_;
        return added::after_work;
    }
    if (pace_) return admit(s, now);
    ready_.add(s);
    return added::ready;
}

inline workqueue_core::slot workqueue_core::take(time_point now) noexcept
{
    if (ready() == 0) return none;
    const slot s = ready_.take();
    key_entry& e = at(s);
    e.dirty = false;
    --dirty_;
    e.processing = true;
    if (timed_) moments_[s].started = now;
    if (pace_ && !shutting_down_) pace_->started(s, now);
    entries_.append(work_, s, e);
    ++processing_;
    return s;
}

inline workqueue_core::added workqueue_core::done(slot s, time_point now) noexcept
{
    key_entry& e = at(s);
    KUBECORO_EXPECT(e.processing);
    entries_.unlink(work_, e);
    --processing_;
    e.processing = false;
    if (!e.dirty) return added::ignored;
    --again_;
    if (pace_) return admit_again(s, now);
    ready_.add(s);
    return added::released;
}

} // namespace kubecoro::detail
