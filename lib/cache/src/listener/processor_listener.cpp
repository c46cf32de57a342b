#include "listener/processor_listener.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

double seconds(duration d) { return std::chrono::duration<double>(d).count(); }

/// Number of events after which other work on the executor gets a turn.
constexpr std::size_t events_a_turn = 64;

/// The same for objects that its filter is asked about without an event.
constexpr std::size_t assumed_a_turn = 512;

} // namespace

processor_listener::processor_listener(settings s)
    : settings_(std::move(s)),
      trace_(settings_.log, "handler", settings_.name),
      meter_(settings_.slow_after, settings_.concurrency),
      core_(settings_.max_pending, settings_.policy),
      bells_(settings_.concurrency),
      filter_(settings_.filter)
{
    idle_.reserve(settings_.concurrency);
}

processor_listener::~processor_listener() { gate_.close(); }

// ---- the informer's side

bool processor_listener::takes_resync() const
{
    std::lock_guard lock(mutex_);
    return core_.takes_resync();
}

bool processor_listener::index_some(std::size_t& most)
{
    std::lock_guard lock(mutex_);
    return over_ || core_.index_some(most);
}

bool processor_listener::add(std::span<const notification<object>> batch, std::size_t& taken, std::size_t& most)
{
    warn_if_overdue();
    std::string_view too_many;
    {
        std::lock_guard lock(mutex_);
        if (over_) return true;
        if (settings_.whole) begin_whole_change();
        if (listener_core::merges(batch) && !core_.index_some(most)) return false;
        most -= std::min(most, batch.size());
        take_in(batch, taken);
        if (!core_.overrun()) {
            wake(batch.size());
            return true;
        }
        too_many = core_.overrun_by();
        set_over();
        wake(settings_.concurrency); // wakes every worker for the end
        why_over_ = failure(cond::expired, std::string(too_many) + " waited, and coalesce::never may not drop any");
        if (!core_.marked()) gate_.close(why_over_);
    }
    settings_.log.warning("a reader with coalesce::never fell too far behind and was ended",
                          {{"handler", settings_.name}, {"waited", too_many}, {"max_pending", settings_.max_pending}});
    return true;
}

void processor_listener::take_in(std::span<const notification<object>> batch, std::size_t& taken)
{
    if (settings_.initial) return core_.add(batch, taken);
    for (; taken < batch.size(); ++taken) {
        const auto& n = batch[taken];
        const auto* a = std::get_if<added<object>>(&n);
        if (!a || !a->initial || core_.marked())
            core_.add(n);
        else if (filter_)
            baseline_.push_back(a->obj);
    }
}

void processor_listener::mark_initial()
{
    bool finished = false;
    {
        std::lock_guard lock(mutex_);
        if (over_) return;
        core_.mark_initial();
        finished = core_.initial_finished();
        if (settings_.whole) wake(1);
    }
    if (finished) gate_.open();
}

/// Cheap: no coroutine is resumed inside.
void processor_listener::wake(std::size_t events)
{
    KUBECORO_EXPECT(mutex_.held_here());
    if (settings_.concurrency == 1) return wake_.notify();
    for (; events != 0 && !idle_.empty(); --events) {
        bells_[idle_.back()].notify();
        idle_.pop_back();
    }
}

void processor_listener::set_over()
{
    KUBECORO_EXPECT(mutex_.held_here());
    if (!std::exchange(over_, true)) settings_.left.note();
}

void processor_listener::informer_stopped(const failure* why) { close(settings_.drains, why); }

void processor_listener::close(bool drain, const failure* why)
{
    if (!drain) cut_ = true;
    {
        std::lock_guard lock(mutex_);
        if (why != nullptr && !over_) why_over_ = *why;
        set_over();
        if (!drain) core_.clear();
        wake(settings_.concurrency);
        if (!has_run_) { // run() will not be called
            core_.free_some(std::numeric_limits<std::size_t>::max());
            run_ended_.settle({});
        }
    }
    if (why != nullptr) return gate_.end(*why);
    gate_.close();
}

bool processor_listener::has_pending() const
{
    std::lock_guard lock(mutex_);
    return core_.pending() != 0;
}

bool processor_listener::over() const
{
    std::lock_guard lock(mutex_);
    return over_;
}

// ---- the reader's side

/// Under load a next event is always pending; this lets other work on the executor run in between. Called before any
/// event is taken, so that a cancellation loses none. A batch counts as many turns as it had events for: a reader that
/// queues the keys of large batches would otherwise run ahead of the worker that takes them.
bool processor_listener::wants_turn()
{
    if (since_turn_ < events_a_turn) return false;
    since_turn_ -= events_a_turn;
    return has_pending();
}

asio::awaitable<std::optional<std::vector<notification<object>>>> processor_listener::pop(std::size_t max)
{
    return pop(shared_from_this(), max);
}

asio::awaitable<std::optional<std::vector<notification<object>>>>
processor_listener::pop(std::shared_ptr<processor_listener> self, std::size_t max)
{
    for (;;) {
        while (self->wants_turn() || self->assume_some()) co_await asio::post(asio::use_awaitable);
        if (self->cut_) self->popped_.clear();
        bool over = false;
        if (self->popped_.empty()) {
            std::lock_guard lock(self->mutex_);
            self->popped_ = self->core_.pop(max);
            self->asked_ = self->passed_ = 0;
            self->since_turn_ += self->popped_.size();
            over = self->over_;
            self->synced_ = self->core_.initial_finished();
            self->last_pop_ = self->popped_.empty() ? result<>(self->why_over_) : result<>();
        }
        self->open_gate();
        if (self->popped_.empty()) {
            if (over) co_return std::nullopt;
            const auto woken = co_await catch_failure(self->wake_.wait());
            self->since_turn_ = 0;
            if (woken) continue;
            if (woken.error() != cond::cancelled) throw error(woken.error());
            std::lock_guard lock(self->mutex_);
            self->last_pop_ = woken;
            co_return std::nullopt;
        }
        self->sieve();
        auto batch = std::exchange(self->popped_, {});
        if (batch.empty()) continue;
        self->delivered_ += batch.size();
        co_return batch;
    }
}

result<> processor_listener::last_pop() const
{
    std::lock_guard lock(mutex_);
    return last_pop_;
}

void processor_listener::open_gate()
{
    if (!synced_ || gate_opened_) return;
    gate_.open();
    gate_opened_ = true;
}

void processor_listener::sieve()
{
    if (!filter_) return;
    for (; asked_ < popped_.size(); ++asked_) {
        if (!passes(popped_[asked_])) continue;
        if (passed_ != asked_) popped_[passed_] = std::move(popped_[asked_]);
        ++passed_;
    }
    popped_.erase(popped_.begin() + static_cast<std::ptrdiff_t>(passed_), popped_.end());
}

bool processor_listener::passes(notification<object>& n)
{
    if (!filter_) return true;
    while (assume_some()) {
    } // events that came since this turn began
    const object about = object_of(n);
    const auto [pass, asked] = filter_.apply(n);
    if (!asked) report(about, "a handler's filter failed", asked.error());
    if (!pass) ++filtered_;
    return pass;
}

bool processor_listener::assume_some()
{
    if (!filter_) return false;
    if (to_assume_.empty()) {
        std::lock_guard lock(mutex_);
        to_assume_.swap(baseline_);
    }
    for (std::size_t n = 0; n != assumed_a_turn && !to_assume_.empty(); ++n, to_assume_.pop_back()) {
        const auto& o = to_assume_.back();
        if (const auto asked = filter_.assume(o); !asked) report(o, "a handler's filter failed", asked.error());
    }
    return !to_assume_.empty();
}

// ---- reports for the operator

void processor_listener::called(std::size_t slot, const notification<object>& n, const result<>& outcome,
                                time_point now)
{
    if (const auto took = meter_.end(slot, now))
        settings_.log.warning(
            "a handler's call was slow",
            {{"handler", settings_.name}, {"object", to_string(object_of(n).key())}, {"seconds", seconds(*took)}});
    trace_.pass("handler ended", n);
    if (!outcome) report(object_of(n), "a handler failed", outcome.error());
}

void processor_listener::warn_if_overdue()
{
    if (settings_.slow_after == duration::zero() || meter_.in_progress() == 0) return;
    if (const auto so_far = meter_.overdue(settings_.time->now()))
        settings_.log.warning("a handler's call is slow, and events wait behind it",
                              {{"handler", settings_.name}, {"seconds", seconds(*so_far)}});
}

void processor_listener::report(const object& about, std::string_view what, const failure& why)
{
    // A handler cancelled by the stop has not failed.
    if (why == cond::cancelled && cut_) return;
    ++failed_;
    const bool news = !settings_.time || is_news(what, why, settings_.time->now());
    settings_.log.write(news ? log_level::error : log_level::debug, what,
                        {{"handler", settings_.name}, {"object", to_string(about.key())}, {"failure", why.describe()}});
}

// ---- the end

void processor_listener::end(failure why)
{
    {
        std::lock_guard lock(mutex_);
        if (!over_) why_over_ = std::move(why);
    }
    remove();
}

void processor_listener::remove() { close(false); }

asio::awaitable<result<>> processor_listener::removed()
{
    remove();
    return removed(shared_from_this());
}

asio::awaitable<result<>> processor_listener::removed(std::shared_ptr<processor_listener> self)
{
    const auto here = co_await asio::this_coro::executor;
    if (self->meter_.in_progress() != 0 && here == self->settings_.executor.get())
        co_return failure(cond::misconfigured,
                          "removed() was awaited inside the handler itself, which would deadlock; the handler is "
                          "removed, as by remove()");
    co_return co_await self->run_ended_.wait();
}

asio::awaitable<result<>> processor_listener::ended() { return ended(shared_from_this()); }

asio::awaitable<result<>> processor_listener::ended(std::shared_ptr<processor_listener> self)
{
    KUBECORO_TRY(co_await self->run_ended_.wait());
    std::lock_guard lock(self->mutex_);
    co_return self->why_over_;
}

handler_stats processor_listener::stats() const
{
    handler_stats s;
    s.name = settings_.name;
    s.policy = settings_.policy;
    s.delivered = delivered_;
    s.filtered = filtered_;
    s.failed = failed_;
    s.running = meter_.in_progress();
    if (s.running != 0) s.running_for = meter_.running(settings_.time->now());
    s.slowest = meter_.slowest();
    s.slow = meter_.slow();
    s.synced = gate_.is_open();
    std::lock_guard lock(mutex_);
    s.pending = core_.pending();
    s.coalesced = core_.coalesced();
    return s;
}

bool processor_listener::initial_popped() const
{
    std::lock_guard lock(mutex_);
    return core_.initial_popped();
}

asio::awaitable<result<>> of_nothing(std::string what) { co_return failure(cond::misconfigured, std::move(what)); }

} // namespace kubecoro::detail
