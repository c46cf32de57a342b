#pragma once
// The state of a workqueue_engine and its locking: calls to code outside the queue follow after the lock is released.

#include "queue/queue_alarm.hpp"
#include "queue/queue_mutex.hpp"
#include "queue/waiting_workers.hpp"
#include "queue/workqueue_core.hpp"
#include "queue/workqueue_metrics.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/controller/detail/workqueue_engine.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

struct workqueue_engine::state
{
    /// Maximum number of keys handled per locked section, so that a large batch does not block other callers.
    static constexpr std::size_t keys_per_lock = 256;
    /// Number of keys that get() and next() hand out in a row before other handlers run.
    static constexpr unsigned keys_in_a_row = 64;
    /// Maximum number of keys being processed that a snapshot names.
    static constexpr std::size_t named_keys = 8;
    /// A key that is never quiet runs after this number of debounces.
    static constexpr int debounces = 10;

    using slot = workqueue_engine::slot;
    using added = workqueue_core::added;

    state(boost::asio::any_io_executor executor, workqueue_options o, std::unique_ptr<key_table> k)
        : options(std::move(o)),
          time(options.time ? options.time : real_clock()),
          measured(measures_of(options, k->classified())),
          paced(pace_of(options).any()),
          keys(std::move(k)),
          core({.ageing = options.ageing,
                .fair = keys->classified(),
                .timed = measured != nullptr,
                .pace = pace_of(options)}),
          alarm(std::make_shared<queue_alarm>(
              std::move(executor), time, [this] { return fire(); },
              [this](const std::string& task, const failure& why) { end_by(task, why); }))
    {
        if (paced) cooled.reserve(keys_per_lock);
        if (!options.limiter) options.limiter = default_controller_limiter();
    }

    static std::shared_ptr<workqueue_metrics> measures_of(const workqueue_options& o, bool fair)
    {
        if (!o.metrics || o.name.empty()) return nullptr;
        return std::make_shared<workqueue_metrics>(*o.metrics, o.name, fair);
    }

    static key_pace::rules pace_of(const workqueue_options& o) noexcept
    {
        const duration longest = std::min<duration>(o.debounce, duration::max() / debounces) * debounces;
        return {.debounce = o.debounce, .max_debounce = longest, .min_interval = o.min_interval};
    }

    workqueue_options options;
    std::shared_ptr<time_source> time;
    /// Null without metrics. Shared, because a worker that gives back the last key may see the queue destroyed before
    /// it has reported.
    const std::shared_ptr<workqueue_metrics> measured;
    /// Whether keys are debounced, or have a minimum interval.
    const bool paced;
    /// Guards the limiter, which is user code and is never called with the other mutex held.
    std::mutex limiter_mutex;

    // Under the mutex:
    mutable queue_mutex mutex;
    std::unique_ptr<key_table> keys;
    workqueue_core core;
    waiting_workers workers;
    unsigned in_a_row = 0;
    std::uint64_t adds = 0;
    std::uint64_t retries = 0;
    std::uint64_t handed_out = 0;
    std::uint64_t unclassified = 0;
    /// Slots whose interval has passed, in fire(); allocated before.
    std::vector<slot> cooled;
    /// Slots being printed; see shown_keys.
    std::vector<slot> shown;
    std::optional<latch> drained;
    /// Set when the owner is gone and workers still hold keys.
    std::shared_ptr<workqueue_engine> kept;
    /// The failure of the timer that has ended the queue.
    std::optional<failure> ended_by;
    /// When the gauges of running work are next set.
    std::optional<time_point> next_gauges;

    std::shared_ptr<queue_alarm> alarm;
    /// Whether the alarm does not know the next due time, after an exception.
    bool alarm_failed = false;

    /// The current time; not read without metrics and a pace.
    [[nodiscard]] time_point stamp() const noexcept { return measured || paced ? time->now() : time_point{}; }

    /// Work that follows a locked section, after the lock is released.
    struct aftermath
    {
        std::shared_ptr<workqueue_engine> kept; // destroyed last: may destroy the state
        wake_calls calls;
        std::optional<latch> drained;
        std::shared_ptr<workqueue_metrics> measured;
        workqueue_metrics::report report;

        aftermath() = default;
        aftermath(const aftermath&) = delete;
        aftermath& operator=(const aftermath&) = delete;
        ~aftermath()
        {
            if (measured) measured->tell(report);
            if (drained) drained->settle({});
        }
    };

    /// One locked section.
    class section
    {
    public:
        explicit section(state& of) : of_(of), lock_(of.mutex) {}
        section(const section&) = delete;
        section& operator=(const section&) = delete;
        /// Once the lock is released the owner may destroy the state, on whichever thread an item is given back.
        ~section()
        {
            if (of_.drained || of_.kept) of_.leave(time_after());
            if (of_.measured) of_.measured->set_depth(of_.core.dirty());
        }

        /// Counts the outcome of one add, wakes a worker if a key became ready, and the alarm if it would be late.
        void note(added a)
        {
            if (a != added::ignored && a != added::merged) note_change(a); // the others cost nothing
        }
        void note_change(added a)
        {
            if (a == added::ready || a == added::after_work || a == added::held || a == added::held_first) note_adds(1);
            if (a == added::ready || a == added::released) call_worker();
            if (of_.measured && !of_.next_gauges && of_.core.ready() != 0) of_.begin_gauges();
            if (a == added::delayed_first || a == added::held_first || a == added::merged_first || of_.alarm_failed)
                of_.expect_next_due();
        }
        void note(const workqueue_core::moved& m)
        {
            if (m.dirty != 0) note_adds(m.dirty);
            if (of_.measured && !of_.next_gauges && m.ready != 0) of_.begin_gauges();
            for (std::size_t n = 0; n < m.ready; ++n) call_worker();
        }
        void call_worker()
        {
            if (of_.workers.size() != 0) of_.workers.call_one(time_after().calls);
        }
        void call_all_workers() { of_.workers.call_all(time_after().calls); }
        void note_adds(std::size_t n)
        {
            of_.adds += n;
            if (of_.measured) report().added += n;
        }
        void note_retries(std::size_t n)
        {
            of_.retries += n;
            if (of_.measured) report().retried += n;
        }
        /// The metrics to report.
        workqueue_metrics::report& report()
        {
            KUBECORO_EXPECT(of_.measured);
            time_after().measured = of_.measured;
            return later_->report;
        }

    private:
        aftermath& time_after() { return later_ ? *later_ : later_.emplace(); }

        state& of_;
        std::optional<aftermath> later_;    // most sections have none
        std::lock_guard<queue_mutex> lock_; // released first
    };

    /// Collects the drain and the owner to release when no key is ready or being processed.
    void leave(aftermath& a) noexcept
    {
        if (core.quiet()) a.drained = std::exchange(drained, std::nullopt);
        if (core.processing() == 0) a.kept = std::move(kept);
    }

    /// The inputs of the limiter's delay.
    struct failed_key
    {
        unsigned failures = 0;
        std::optional<time_point> waits_until = {};
    };
    /// Called without the lock, because the limiter is user code. An exception leaves everything unchanged.
    [[nodiscard]] duration ask_limiter(const failed_key& key, time_point now)
    {
        std::lock_guard one_at_a_time(limiter_mutex);
        const duration delay = options.limiter->delay(key.failures, now);
        // Only a retry that is really queued uses up the limiter.
        const bool waits_already = key.waits_until && *key.waits_until <= time_after(now, delay);
        if (!waits_already) options.limiter->taken(now);
        return delay;
    }

    /// A slot in use during a section, released at its end if nothing is stored for its key.
    class in_use
    {
    public:
        in_use(state& of, slot s) : of_(of), slot_(s)
        {
            make_room();
            if (of_.core.fair() && of_.core.idle(s)) of_.classify(s);
        }
        in_use(const in_use&) = delete;
        in_use& operator=(const in_use&) = delete;
        ~in_use() { of_.release_if_idle(slot_); }

    private:
        /// A new key without room must not stay in the table: the queue would never erase it.
        void make_room()
        {
            try {
                of_.core.make_room(slot_);
            } catch (...) {
                if (of_.keys->erase(slot_)) of_.core.shrink();
                throw;
            }
        }

        state& of_;
        slot slot_;
    };

    /// For a key that has just been stored.
    void classify(slot s) noexcept
    {
        std::uint64_t of = 0;
        try {
            of = keys->class_of(s);
        } catch (...) { // of the user's function: a failure here would keep the caller's whole batch from the queue
            ++unclassified;
        }
        core.classify(s, of);
    }

    void release_if_idle(slot s) noexcept
    {
        if (!core.idle(s) || is_shown(s)) return;
        if (keys->erase(s)) core.shrink();
    }

    /// Keys that are read without the lock: their slots are not reused in the meantime.
    class shown_keys
    {
    public:
        struct shown_key
        {
            slot s;
            const void* key;
            /// Adds the key's text, or that of its class, to the snapshot.
            void (*show)(workqueue_stats& picture, const key_table& keys, const shown_key& k);
            std::size_t count = 0;
        };
        shown_keys(state& of, workqueue_stats& picture) : of_(of)
        {
            const time_point now = of.stamp();
            std::lock_guard lock(of.mutex);
            of.picture(picture, now);
            for (const slot s : of.core.in_work(named_keys))
                add(s, [](workqueue_stats& p, const key_table& t, const shown_key& k) {
                    p.in_work.push_back(t.text(k.s, k.key));
                });
            if (picture.oldest_age)
                add(of.core.waiting().oldest(),
                    [](workqueue_stats& p, const key_table& t, const shown_key& k) { p.oldest = t.text(k.s, k.key); });
            for (const auto& c : of.core.waiting().largest_classes())
                add(
                    c.example,
                    [](workqueue_stats& p, const key_table& t, const shown_key& k) {
                        p.largest_classes.push_back({t.class_text(k.key), k.count});
                    },
                    c.keys);
            of.shown.reserve(of.shown.size() + keys_.size());
            for (const auto& k : keys_) of.shown.push_back(k.s);
        }
        shown_keys(const shown_keys&) = delete;
        shown_keys& operator=(const shown_keys&) = delete;
        ~shown_keys()
        {
            std::lock_guard lock(of_.mutex);
            for (const auto& k : keys_) {
                of_.shown.erase(std::find(of_.shown.begin(), of_.shown.end(), k.s));
                of_.release_if_idle(k.s);
            }
        }
        [[nodiscard]] const std::vector<shown_key>& keys() const noexcept { return keys_; }

    private:
        void add(slot s, decltype(shown_key::show) show, std::size_t count = 0)
        {
            keys_.push_back({.s = s, .key = of_.keys->hand_out(s), .show = show, .count = count});
        }

        state& of_;
        std::vector<shown_key> keys_;
    };
    [[nodiscard]] bool is_shown(slot s) const noexcept
    {
        return !shown.empty() && std::find(shown.begin(), shown.end(), s) != shown.end();
    }

    void picture(workqueue_stats& s, time_point now) const
    {
        s.name = options.name;
        s.ready = core.ready();
        s.processing = core.processing();
        s.delayed = core.delayed();
        s.held = core.held();
        s.keys = keys->size();
        s.bytes = keys->bytes() + core.bytes();
        s.waiting_workers = workers.size();
        s.adds = adds;
        s.retries = retries;
        s.handed_out = handed_out;
        s.unclassified = unclassified;
        s.shutting_down = core.shutting_down();
        s.class_lanes = core.waiting().lanes();
        if (!measured) return;
        if (core.ready() != 0) s.oldest_age = core.oldest_wait(now);
        for (const slot k : core.in_work(named_keys)) s.running_for.push_back(now - core.started(k));
    }

    /// Calls `each` for every key of a list, one part of it per locked section.
    template<class Each>
    void each_key(const key_list& list, bool retrying, Each each)
    {
        for (std::size_t n = 0; n < list.count;) {
            section locked(*this);
            if (core.shutting_down()) return;
            const std::size_t end = std::min(list.count, n + keys_per_lock);
            if (retrying) locked.note_retries(end - n);
            for (; n < end; ++n) {
                const slot s = list.intern(*keys, list.context, n);
                const in_use release_unless_stored(*this, s);
                locked.note(each(s));
            }
        }
    }

    [[nodiscard]] std::optional<handed> take(section& locked, time_point now)
    {
        const slot s = core.take(now);
        if (s == workqueue_core::none) return std::nullopt;
        ++handed_out;
        if (measured) locked.report().waited.push_back(core.waited(s));
        if (paced) expect_next_due();
        return handed{.s = s, .priority = core.priority(s), .key = keys->hand_out(s)};
    }
    [[nodiscard]] std::optional<handed> take_in_turn(section& locked, time_point now)
    {
        if (++in_a_row <= keys_in_a_row) return take(locked, now);
        in_a_row = 0;
        // The worker may have been called for a key and, once cancelled, never return for it.
        if (core.ready() != 0) locked.call_worker();
        return std::nullopt;
    }
    /// A key has the earliest time, or was handed out and is held for its minimum interval.
    void expect_next_due()
    {
        const auto due = core.next_due();
        alarm_failed = due.has_value();
        if (due) alarm->expect(*due);
        alarm_failed = false;
    }

    added apply(section& locked, slot s, const verdict& v, time_point now)
    {
        using kind = verdict::kind;
        if (v.what == kind::skip) core.skip(s);
        if (v.what == kind::put_back) core.want_again(s, v.priority, now);
        if (v.what == kind::succeeded || v.what == kind::again) core.forget(s);
        if (v.what != kind::again) return added::ignored;
        if (!core.shutting_down()) locked.note_retries(1);
        return core.add_after(s, v.delay, v.priority, now);
    }
    /// Ends the processing of a key.
    void finish(section& locked, slot s, time_point now) { locked.note(end_run(locked, s, now)); }
    /// @return as core.done(); the caller notes it.
    added end_run(section& locked, slot s, time_point now)
    {
        if (measured) locked.report().worked = now - core.started(s);
        const added after = core.done(s, now);
        if (after == added::ignored) release_if_idle(s);
        return after;
    }
    /// Ends a successful run, and takes the next key.
    [[nodiscard]] std::optional<handed> next(section& locked, slot s, time_point now)
    {
        core.forget(s);
        const added after = end_run(locked, s, now);
        // At the limit it takes nothing, and lets get() find the limit: only get() can wait for other handlers.
        const auto h = in_a_row < keys_in_a_row ? take_in_turn(locked, now) : std::nullopt;
        // One key has become ready and one was taken: the workers that were called before are enough.
        if (!h || after != added::released) locked.note(after);
        return h;
    }

    /// Repeats until nothing is due. @return the next due time.
    std::optional<time_point> fire()
    {
        for (;;) {
            const time_point now = time->now();
            section locked(*this);
            locked.note(core.advance(now, keys_per_lock, cooled));
            for (const slot s : cooled) release_if_idle(s);
            cooled.clear();
            const auto due = core.next_due();
            if (due && *due <= now) continue;
            const auto gauges = set_gauges(locked, now);
            if (!due || !gauges) return due ? due : gauges;
            return std::min(*due, *gauges);
        }
    }

    /// Sets the gauges at intervals from now on, until the queue is quiet.
    void begin_gauges()
    {
        next_gauges = time->now() + workqueue_metrics::interval;
        alarm->expect(*next_gauges);
    }
    /// @return when to set them again; empty when no key is ready or being processed.
    std::optional<time_point> set_gauges(section& locked, time_point now)
    {
        if (!next_gauges || now < *next_gauges) return next_gauges;
        workqueue_metrics::gauges g{.unfinished = core.unfinished(now),
                                    .longest = now - core.oldest_start().value_or(now),
                                    .oldest = core.oldest_wait(now)};
        if (core.fair())
            for (const auto& c : core.waiting().largest_classes()) g.classes.push_back(c.keys);
        locked.report().gauges = g;
        next_gauges.reset();
        if (!core.quiet()) next_gauges = now + workqueue_metrics::interval;
        return next_gauges;
    }

    /// @return an outcome that makes the wait unnecessary; empty when the worker is now in the list.
    std::optional<result<>> enrol(waiting_workers::worker& w)
    {
        std::lock_guard lock(mutex);
        if (core.ready() != 0) return result<>{};
        if (ended_by) return *ended_by;
        if (core.shutting_down()) return failure(cond::cancelled, "the workqueue is shut down");
        workers.enrol(w);
        return std::nullopt;
    }

    /// The one end for a failure of the timer: keys that wait for it would never become ready.
    void end_by(const std::string& task, const failure& why)
    {
        const auto cause = why.because("the workqueue " + options.name + " has ended: its " + task + " failed");
        {
            std::lock_guard lock(mutex);
            ended_by = cause;
        }
        if (const auto given_up = stop()) given_up->settle(cause);
        show_end(options.log, options.metrics.get(), "workqueue", options.name, task, why);
    }

    /// Drops delayed keys and ends waits. @return the drain that this ends.
    std::optional<latch> stop()
    {
        section locked(*this);
        for (const slot s : core.shut_down(stamp())) release_if_idle(s);
        locked.call_all_workers();
        return std::exchange(drained, std::nullopt);
    }
};

} // namespace kubecoro::detail
