#include "queue_alarm.hpp"
#include "waiting_workers.hpp"
#include "workqueue_core.hpp"
#include "workqueue_metrics.hpp"

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/guard.hpp>
#include <kubecoro/controller/workqueue_engine.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <mutex>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// Keys that one hold of the lock handles at most, so that a large batch holds nobody up.
constexpr std::size_t keys_per_lock = 256;
/// Keys that get() hands out in a row before it lets others have their turn.
constexpr unsigned keys_in_a_row = 64;
/// Keys in work that a picture names.
constexpr std::size_t named_keys = 8;

} // namespace

struct workqueue_engine::state
{
    using slot = workqueue_engine::slot;
    using added = workqueue_core::added;

    state(asio::any_io_executor executor, workqueue_options o, std::unique_ptr<key_table> k)
        : options(std::move(o)),
          time(options.time ? options.time : real_clock()),
          measured(measures_of(options)),
          keys(std::move(k)),
          core(options.ageing, measured.has_value()),
          alarm(std::make_shared<queue_alarm>(std::move(executor), time, options.log, [this] { return fire(); }))
    {
        if (!options.limiter) options.limiter = default_controller_limiter();
    }

    static std::optional<workqueue_metrics> measures_of(const workqueue_options& o)
    {
        if (!o.measures || o.name.empty()) return std::nullopt;
        return workqueue_metrics(*o.measures, o.name);
    }

    workqueue_options options;
    std::shared_ptr<clock> time;
    std::optional<workqueue_metrics> measured;

    // Under the mutex:
    mutable std::mutex mutex;
    std::unique_ptr<key_table> keys;
    workqueue_core core;
    waiting_workers workers;
    unsigned in_a_row = 0;
    std::uint64_t adds = 0;
    std::uint64_t retries = 0;
    std::uint64_t handed_out = 0;
    std::optional<latch> drained;
    /// Set when the owner has gone and workers still have keys.
    std::shared_ptr<workqueue_engine> kept;
    /// When the gauges of running work are due.
    std::optional<time_point> next_gauges;

    std::shared_ptr<queue_alarm> alarm;

    /// Nothing is timed unless somebody measures.
    [[nodiscard]] time_point stamp() const noexcept { return measured ? time->now() : time_point{}; }

    /// What follows a hold of the lock, when the lock is free.
    struct aftermath
    {
        std::shared_ptr<workqueue_engine> kept; // last to go: the state may go with it
        wake_calls calls;
        std::optional<latch> drained;

        aftermath() = default;
        aftermath(const aftermath&) = delete;
        aftermath& operator=(const aftermath&) = delete;
        ~aftermath()
        {
            if (drained) drained->settle({});
        }
    };

    /// One hold of the lock.
    class section
    {
    public:
        explicit section(state& of) : of_(of), lock_(of.mutex) {}
        section(const section&) = delete;
        section& operator=(const section&) = delete;
        /// When the lock is free the owner may destroy the state, whoever gives an item back.
        ~section()
        {
            if (of_.drained || of_.kept) of_.leave(later());
            if (dirty_ != 0) of_.count_adds(dirty_);
        }

        /// Counts one outcome, wakes a worker if there is something for it, and the alarm if it would be late.
        void note(added a)
        {
            if (a == added::ready || a == added::after_work) ++dirty_;
            if (a == added::ready) call_worker();
            if (a == added::delayed_first) of_.alarm->expect(*of_.core.next_due());
        }
        void note(const workqueue_core::moved& m)
        {
            dirty_ += m.dirty;
            for (std::size_t n = 0; n < m.ready; ++n) call_worker();
        }
        void call_worker()
        {
            if (of_.workers.size() != 0) of_.workers.call_one(later().calls);
        }
        void call_all_workers() { of_.workers.call_all(later().calls); }

    private:
        aftermath& later() { return later_ ? *later_ : later_.emplace(); }

        state& of_;
        std::optional<aftermath> later_; // most holds have none
        std::size_t dirty_ = 0;
        std::lock_guard<std::mutex> lock_; // first to go
    };

    void count_adds(std::size_t n) noexcept
    {
        adds += n;
        if (measured) measured->added(n, core.dirty());
    }
    /// Nothing may be left to do, which somebody waits for.
    void leave(aftermath& a) noexcept
    {
        if (core.quiet()) a.drained = std::exchange(drained, std::nullopt);
        if (core.processing() == 0) a.kept = std::move(kept);
    }

    /// A slot in use during a section, given back if nothing is known of its key in the end.
    class in_use
    {
    public:
        in_use(state& of, slot s) : of_(of), slot_(s) { of_.core.make_room(s); }
        in_use(const in_use&) = delete;
        in_use& operator=(const in_use&) = delete;
        ~in_use() { of_.release_if_idle(slot_); }

    private:
        state& of_;
        slot slot_;
    };

    void release_if_idle(slot s) noexcept
    {
        if (!core.idle(s)) return;
        if (keys->erase(s)) core.shrink();
    }

    /// Does the same with every key of a list, a part of it at a time.
    template<class Each>
    void each_key(const key_list& list, bool retrying, Each each)
    {
        for (std::size_t n = 0; n < list.count;) {
            section locked(*this);
            if (core.shutting_down()) return;
            const std::size_t end = std::min(list.count, n + keys_per_lock);
            if (retrying) count_retries(end - n);
            for (; n < end; ++n) {
                const slot s = list.intern(*keys, list.context, n);
                const in_use guard(*this, s);
                locked.note(each(s));
            }
        }
    }

    void count_retries(std::size_t n) noexcept
    {
        retries += n;
        if (measured) measured->retried(n);
    }

    [[nodiscard]] std::optional<handed> take()
    {
        const time_point now = stamp();
        const slot s = core.take(now);
        if (s == workqueue_core::none) return std::nullopt;
        ++handed_out;
        if (measured) measure_hand_out(s, now);
        return handed{.s = s, .priority = core.priority(s), .key = keys->hand_out(s)};
    }
    void measure_hand_out(slot s, time_point now)
    {
        measured->handed(core.waited(s), core.dirty());
        if (!next_gauges) alarm->expect(*(next_gauges = now + workqueue_metrics::interval));
    }

    added apply(slot s, const verdict& v, time_point now)
    {
        using kind = verdict::kind;
        if (v.what == kind::put_back) core.want_again(s, v.priority, now);
        if (v.what == kind::put_back || v.what == kind::done) return added::ignored;
        if (v.what == kind::retry) {
            if (!core.shutting_down()) count_retries(1);
            return core.retry(s, *options.limiter, v.priority, now);
        }
        core.forget(s);
        if (v.what != kind::again) return added::ignored;
        if (!core.shutting_down()) count_retries(1);
        return core.add_after(s, v.delay, v.priority, now);
    }

    /// Until nothing is due any more. @return when something is.
    std::optional<time_point> fire()
    {
        for (;;) {
            section locked(*this);
            const time_point now = time->now();
            const auto moved = core.advance(now, keys_per_lock);
            locked.note(moved);
            const auto due = core.next_due();
            if (due && *due <= now) continue;
            const auto gauges = set_gauges(now);
            if (!due || !gauges) return due ? due : gauges;
            return std::min(*due, *gauges);
        }
    }

    /// @return when to do it again; empty when nothing is in work any more.
    std::optional<time_point> set_gauges(time_point now)
    {
        if (!next_gauges || now < *next_gauges) return next_gauges;
        measured->running(core.unfinished(now), now - core.oldest_start().value_or(now));
        next_gauges.reset();
        if (core.processing() != 0) next_gauges = now + workqueue_metrics::interval;
        return next_gauges;
    }

    /// @return what the worker need not wait for; empty when it is in the list now.
    std::optional<result<>> enrol(waiting_workers::worker& w)
    {
        std::lock_guard lock(mutex);
        if (core.ready() != 0) return result<>{};
        if (core.shutting_down()) return failure(cond::cancelled, "the workqueue is shut down");
        workers.enrol(w);
        return std::nullopt;
    }

    /// Ends what needs a future. @return the drain that is over with it.
    std::optional<latch> stop()
    {
        section locked(*this);
        for (const slot s : core.shut_down()) release_if_idle(s);
        locked.call_all_workers();
        return std::exchange(drained, std::nullopt);
    }
};

workqueue_engine::workqueue_engine(asio::any_io_executor executor, workqueue_options options,
                                   std::unique_ptr<key_table> keys)
    : state_(std::make_unique<state>(std::move(executor), std::move(options), std::move(keys)))
{
}

workqueue_engine::~workqueue_engine() = default;

// ---- adding

void workqueue_engine::add(key_list keys, int priority)
{
    const time_point now = state_->stamp();
    state_->each_key(keys, false, [&](slot s) { return state_->core.add(s, priority, now); });
}

void workqueue_engine::add_after(key_list keys, duration delay, int priority)
{
    const time_point now = state_->time->now();
    state_->each_key(keys, true, [&](slot s) { return state_->core.add_after(s, delay, priority, now); });
}

void workqueue_engine::add_rate_limited(key_list keys, int priority)
{
    const time_point now = state_->time->now();
    state_->each_key(keys, true,
                     [&](slot s) { return state_->core.add_rate_limited(s, *state_->options.limiter, priority, now); });
}

void workqueue_engine::forget(const void* key, slot (*find)(const key_table&, const void*))
{
    std::lock_guard lock(state_->mutex);
    const slot s = find(*state_->keys, key);
    if (s == key_table::none) return;
    state_->core.forget(s);
    state_->release_if_idle(s);
}

void workqueue_engine::forget(slot s)
{
    std::lock_guard lock(state_->mutex);
    state_->core.forget(s);
}

unsigned workqueue_engine::num_requeues(const void* key, slot (*find)(const key_table&, const void*)) const
{
    std::lock_guard lock(state_->mutex);
    const slot s = find(*state_->keys, key);
    return s == key_table::none ? 0 : state_->core.failures(s);
}

unsigned workqueue_engine::num_requeues(slot s) const
{
    std::lock_guard lock(state_->mutex);
    return state_->core.failures(s);
}

// ---- handing out

std::optional<workqueue_engine::handed> workqueue_engine::take()
{
    const state::section locked(*state_);
    return state_->take();
}

std::optional<workqueue_engine::handed> workqueue_engine::take_in_turn()
{
    const state::section locked(*state_);
    if (++state_->in_a_row <= keys_in_a_row) return state_->take();
    state_->in_a_row = 0;
    return std::nullopt;
}

void workqueue_engine::take(std::size_t max, void* context, void (*sink)(void*, workqueue_engine&, const handed&))
{
    const state::section locked(*state_);
    for (std::size_t n = 0; n < max; ++n) {
        const auto h = state_->take();
        if (!h) break;
        sink(context, *this, *h);
    }
}

void workqueue_engine::give_back(slot s, verdict v)
{
    const bool timed = v.what == verdict::kind::retry || v.what == verdict::kind::again;
    state::section locked(*state_);
    const time_point now = timed ? state_->time->now() : state_->stamp();
    locked.note(state_->apply(s, v, now));
    if (state_->measured) state_->measured->finished(now - state_->core.started(s));
    if (state_->core.done(s))
        locked.call_worker();
    else
        state_->release_if_idle(s);
}

asio::awaitable<result<>> workqueue_engine::wait()
{
    /// In the waiting coroutine. A call that it cannot follow any more goes to the next one.
    struct stay
    {
        state& of;
        waiting_workers::worker self = {};
        bool back = false;
        ~stay()
        {
            if (back) return;
            state::section locked(of);
            of.workers.leave(self);
            if (self.called && of.core.ready() != 0) locked.call_worker();
        }
    };
    if (size() != 0) co_return co_await guard(asio::post(asio::use_awaitable));
    stay here{*state_};
    if (const auto outcome = state_->enrol(here.self)) co_return *outcome;
    const auto woken = co_await here.self.signal.wait();
    here.back = woken.has_value();
    co_return woken;
}

// ---- the end

void workqueue_engine::shut_down()
{
    const auto given_up = state_->stop();
    state_->alarm->stop();
    if (given_up) given_up->settle(failure(cond::cancelled, "the workqueue was shut down without waiting"));
}

asio::awaitable<result<>> workqueue_engine::drain()
{
    const auto before = state_->stop();
    state_->alarm->stop();
    const latch over = before.value_or(latch());
    {
        const state::section locked(*state_); // settles it at once when nothing is left
        state_->drained = over;
    }
    return over.wait();
}

void workqueue_engine::close()
{
    shut_down();
    const auto self = shared_from_this();
    state_->alarm->keep_until_ended(self);
    const state::section locked(*state_); // drops it again when nothing is in work
    state_->kept = self;
}

// ---- looking

std::size_t workqueue_engine::size() const
{
    std::lock_guard lock(state_->mutex);
    return state_->core.ready();
}

bool workqueue_engine::shutting_down() const
{
    std::lock_guard lock(state_->mutex);
    return state_->core.shutting_down();
}

workqueue_stats workqueue_engine::stats() const
{
    std::lock_guard lock(state_->mutex);
    const state& from = *state_;
    workqueue_stats s;
    s.name = from.options.name;
    s.ready = from.core.ready();
    s.processing = from.core.processing();
    s.delayed = from.core.delayed();
    s.keys = from.keys->size();
    s.bytes = from.keys->bytes() + from.core.bytes();
    s.waiting_workers = from.workers.size();
    s.adds = from.adds;
    s.retries = from.retries;
    s.handed_out = from.handed_out;
    s.shutting_down = from.core.shutting_down();
    for (const slot k : from.core.in_work(named_keys)) s.in_work.push_back(from.keys->text(k));
    return s;
}

} // namespace kubecoro
