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
#include <atomic>
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
          keys(std::move(k)),
          core(options.ageing),
          alarm(std::make_shared<queue_alarm>(std::move(executor), time, options.log, [this] { return fire(); }))
    {
        if (!options.limiter) options.limiter = default_controller_limiter();
        if (options.measures && !options.name.empty()) measured.emplace(*options.measures, options.name);
    }

    workqueue_options options;
    std::shared_ptr<clock> time;
    std::optional<workqueue_metrics> measured;
    std::atomic<unsigned> in_a_row{0};

    // Under the mutex:
    mutable std::mutex mutex;
    std::unique_ptr<key_table> keys;
    workqueue_core core;
    waiting_workers workers;
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

    /// One hold of the lock. The wake-ups that it leads to follow when the lock is free.
    class section
    {
    public:
        explicit section(state& of) : of_(of), lock_(of.mutex) { due_ = of.core.next_due(); }
        section(const section&) = delete;
        section& operator=(const section&) = delete;
        ~section()
        {
            if (of_.drained && of_.core.quiet()) drained_ = std::exchange(of_.drained, std::nullopt);
            if (of_.kept && of_.core.processing() == 0) kept_ = std::move(of_.kept);
            of_.adds += dirty_;
            if (of_.measured && dirty_ != 0) of_.measured->added(dirty_, of_.core.dirty());
            const auto due = of_.core.next_due();
            if (due && (!due_ || *due < *due_)) of_.alarm->expect(*due);
            if (expected_) of_.alarm->expect(*expected_);
            // From here on the owner may destroy the state, whoever gives an item back.
            lock_.unlock();
            if (drained_) drained_->settle({});
        }
        wake_calls& calls() noexcept { return calls_; }

        /// Counts one outcome and wakes a worker if there is something for it.
        void note(added a)
        {
            if (a == added::ready || a == added::after_work) ++dirty_;
            if (a == added::ready) of_.workers.call_one(calls_);
        }
        void note(const workqueue_core::moved& m)
        {
            dirty_ += m.dirty;
            for (std::size_t n = 0; n < m.ready; ++n) of_.workers.call_one(calls_);
        }
        /// The alarm is needed at this moment.
        void expect(time_point when) { expected_ = when; }

    private:
        state& of_;
        std::shared_ptr<workqueue_engine> kept_; // last to go: the state may go with it
        wake_calls calls_;
        std::optional<latch> drained_;
        /// Before this section.
        std::optional<time_point> due_;
        std::optional<time_point> expected_;
        std::size_t dirty_ = 0;
        std::unique_lock<std::mutex> lock_;
    };

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

    [[nodiscard]] std::optional<handed> take(section& locked)
    {
        const time_point now = stamp();
        const auto h = core.take(now);
        if (!h) return std::nullopt;
        ++handed_out;
        if (measured) {
            measured->handed(h->waited, core.dirty());
            if (!next_gauges) locked.expect(*(next_gauges = now + workqueue_metrics::interval));
        }
        keys->prefetch(h->s);
        return handed{.s = h->s, .priority = h->priority, .key = keys->at(h->s)};
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
        workers.call_all(locked.calls());
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

bool workqueue_engine::pause_due() noexcept
{
    // Two workers that count as one now and then do no harm.
    const unsigned n = state_->in_a_row.load(std::memory_order_relaxed) + 1;
    state_->in_a_row.store(n % keys_in_a_row, std::memory_order_relaxed);
    return n == keys_in_a_row;
}

asio::awaitable<result<>> workqueue_engine::pause() { return guard(asio::post(asio::use_awaitable)); }

std::optional<workqueue_engine::handed> workqueue_engine::take()
{
    state::section locked(*state_);
    return state_->take(locked);
}

void workqueue_engine::take(std::size_t max, void* context, void (*sink)(void*, workqueue_engine&, const handed&))
{
    state::section locked(*state_);
    for (std::size_t n = 0; n < max; ++n) {
        const auto h = state_->take(locked);
        if (!h) break;
        sink(context, *this, *h);
    }
}

void workqueue_engine::give_back(slot s, verdict v)
{
    const bool timed = v.what == verdict::kind::retry || v.what == verdict::kind::again;
    state::section locked(*state_);
    const time_point now = timed ? state_->time->now() : state_->stamp();
    const state::in_use guard(*state_, s);
    locked.note(state_->apply(s, v, now));
    if (state_->measured) state_->measured->finished(now - state_->core.started(s));
    if (state_->core.done(s)) state_->workers.call_one(locked.calls());
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
            if (self.called && of.core.ready() != 0) of.workers.call_one(locked.calls());
        }
    };
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
    s.waiting_workers = from.workers.size();
    s.adds = from.adds;
    s.retries = from.retries;
    s.handed_out = from.handed_out;
    s.shutting_down = from.core.shutting_down();
    for (const slot k : from.core.in_work(named_keys)) s.in_work.push_back(from.keys->text(k));
    return s;
}

} // namespace kubecoro
