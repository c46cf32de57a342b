#include "queue/workqueue_state.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;

namespace kubecoro::detail {

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
    state_->each_key(keys, false, [&core = state_->core, priority, now](slot s) { return core.add(s, priority, now); });
}

void workqueue_engine::add_after(key_list keys, duration delay, int priority)
{
    const time_point now = state_->time->now();
    state_->each_key(keys, true, [&](slot s) { return state_->core.add_after(s, delay, priority, now); });
}

void workqueue_engine::add_rate_limited(key_list keys, int priority, slot (*find)(const key_table&, const void*))
{
    const time_point now = state_->time->now();
    state::failed_key before;
    {
        std::lock_guard lock(state_->mutex);
        if (state_->core.shutting_down()) return;
        const slot s = find(*state_->keys, keys.context);
        if (s != key_table::none) before = {state_->core.failures(s), state_->core.waits_until(s)};
    }
    const duration delay = state_->ask_limiter(before, now);
    state_->each_key(keys, true, [&](slot s) { return state_->core.add_rate_limited(s, delay, priority, now); });
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
    const time_point now = state_->stamp();
    state::section locked(*state_);
    return state_->take(locked, now);
}

std::optional<workqueue_engine::handed> workqueue_engine::take_in_turn()
{
    const time_point now = state_->stamp();
    state::section locked(*state_);
    return state_->take_in_turn(locked, now);
}

std::optional<workqueue_engine::handed> workqueue_engine::next(slot s)
{
    const time_point now = state_->stamp();
    state::section locked(*state_);
    return state_->next(locked, s, now);
}

void workqueue_engine::take(std::size_t max, void* context, void (*sink)(void*, workqueue_engine&, const handed&))
{
    const time_point now = state_->stamp();
    state::section locked(*state_);
    const std::size_t room = std::min(max, state_->core.ready());
    if (state_->measured)
        locked.report().waited.reserve(room); // reserved first, so that no exception loses a taken key
    for (std::size_t n = 0; n < room; ++n) sink(context, *this, *state_->take(locked, now));
}

void workqueue_engine::decline()
{
    state::section locked(*state_);
    if (state_->core.ready() != 0) locked.call_worker();
}

void workqueue_engine::give_back(slot s, verdict v)
{
    if (v.what == verdict::kind::retry) return retry(s, v.priority);
    const time_point now = v.what == verdict::kind::again ? state_->time->now() : state_->stamp();
    state::section locked(*state_);
    locked.note(state_->apply(locked, s, v, now));
    state_->finish(locked, s, now);
}

void workqueue_engine::retry(slot s, int priority)
{
    const time_point now = state_->time->now();
    state::failed_key before;
    {
        std::lock_guard lock(state_->mutex);
        before = {state_->core.failures_before(s), state_->core.waits_until(s)};
    }
    const duration delay = state_->ask_limiter(before, now);
    state::section locked(*state_);
    if (!state_->core.shutting_down()) locked.note_retries(1);
    locked.note(state_->core.retry(s, delay, priority, now));
    state_->finish(locked, s, now);
}

asio::awaitable<result<>> workqueue_engine::wait()
{
    /// Lives in the waiting coroutine. A call that the coroutine cannot follow any more is passed to the next worker.
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
    if (size() != 0) co_return co_await catch_failure(asio::post(asio::use_awaitable));
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
        const state::section locked(*state_); // its destructor settles `drained` at once when nothing is left
        state_->drained = over;
    }
    return over.wait();
}

asio::awaitable<result<>> workqueue_engine::ended() { return state_->alarm->ended(); }

void workqueue_engine::close()
{
    shut_down();
    const auto self = shared_from_this();
    state_->alarm->keep_until_ended(self);
    const state::section locked(*state_); // its destructor drops `kept` when no key is being processed
    state_->kept = self;
}

// ---- observers

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
    workqueue_stats s;
    state& from = *state_;
    const state::shown_keys shown(from, s);
    // Keys are printed by user code, and therefore without the lock.
    for (const auto& k : shown.keys()) k.show(s, *from.keys, k);
    return s;
}

} // namespace kubecoro::detail
