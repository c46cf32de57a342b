#include "reflector/reflector_driver.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Time between two looks whether the sink still holds the reflector back, before the watch may count as silent.
constexpr duration held_check = std::chrono::seconds{1};

bool is_cancelled(const asio::cancellation_state& s) { return s.cancelled() != asio::cancellation_type::none; }

} // namespace

void delta_sink::page(reflector_core::do_page) { throw std::logic_error("this sink takes whole lists only"); }

reflector_driver::reflector_driver(std::shared_ptr<list_watch_source> source, reflector_core core,
                                   reflector_policy policy, std::shared_ptr<time_source> time, relist_budget budget,
                                   delta_sink& sink)
    : source_(std::move(source)),
      core_(std::move(core)),
      policy_(policy),
      time_(std::move(time)),
      budget_(std::move(budget)),
      sink_(sink),
      next_(reflector_core::do_stop{})
{
}

asio::awaitable<result<>> reflector_driver::run()
{
    KUBECORO_EXPECT(core_.state() == informer_state::created);
    // The driver is kept by handles: however it ends, the stream ends with it.
    const struct closing
    {
        std::unique_ptr<watch_stream>& stream;
        ~closing() { stream.reset(); }
    } closes{stream_};
    next_ = core_.start(time_->now());
    for (result<> done;;) {
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (stopping_ || is_cancelled(cancellation)) next_ = core_.on_cancel();
        report();
        if (std::holds_alternative<reflector_core::do_stop>(next_)) break;
        // Nobody has cancelled it: such a failure is one as well.
        if (!done && done.error() == cond::cancelled) co_return failure(cond::internal, done.error().describe());
        if (!done) co_return done;
        done = co_await catch_failure(perform_next());
    }
    co_return failure(cond::cancelled);
}

asio::awaitable<result<>> reflector_driver::perform_next()
{
    action decided = co_await perform(std::move(next_));
    next_ = std::move(decided);
    apply();
    co_await hold();
    co_return result<>{};
}

asio::awaitable<reflector_driver::action> reflector_driver::perform(action a)
{
    if (auto* ask = std::get_if<reflector_core::do_list>(&a)) {
        auto page = co_await list(std::move(ask->options));
        co_return core_.on_list(std::move(page), time_->now());
    }
    if (auto* ask = std::get_if<reflector_core::do_watch>(&a)) co_return co_await watch(std::move(*ask));
    if (auto* ask = std::get_if<reflector_core::do_wait>(&a)) {
        if (ask->gone) {
            sink_.vanished();
            if (!co_await hold()) co_return std::move(next_);
        }
        co_return co_await wait(ask->delay);
    }
    if (std::holds_alternative<reflector_core::do_take_turn>(a)) co_return co_await take_turn();
    co_return core_.on_cancel();
}

asio::awaitable<reflector_driver::action> reflector_driver::wait(duration delay)
{
    impatience_.emplace(); // a new one for each wait, so that a late wake-up does not shorten the next wait
    co_await race(sleep_for(*time_, delay), impatience_->wait());
    impatience_.reset();
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (is_cancelled(cancellation)) co_return core_.on_cancel();
    co_return core_.on_wake();
}

void reflector_driver::retry_now()
{
    if (impatience_) impatience_->notify();
}

void reflector_driver::list_again()
{
    core_.want_list();
    if (list_wanted_) list_wanted_->notify();
}

asio::awaitable<reflector_driver::action> reflector_driver::take_turn()
{
    // A probe for a parked resource costs the server almost nothing.
    if (core_.state() == informer_state::parked) co_return core_.on_turn(time_->now());
    auto turn = co_await budget_.take();
    if (!turn) throw error(turn.error());
    turn_ = std::move(*turn);
    co_return core_.on_turn(time_->now());
}

void reflector_driver::apply()
{
    for (;;) {
        if (auto* all = std::get_if<reflector_core::do_replace>(&next_))
            sink_.replace(std::move(all->items), std::move(all->resource_version), std::move(all->left_out));
        else if (auto* part = std::get_if<reflector_core::do_page>(&next_))
            sink_.page(std::move(*part));
        else if (auto* some = std::get_if<reflector_core::do_apply>(&next_))
            sink_.apply(std::move(some->changes), std::move(some->resource_version));
        else
            return;
        next_ = core_.on_applied({}, time_->now());
    }
}

asio::awaitable<bool> reflector_driver::hold()
{
    if (sink_.has_room()) co_return true;
    const struct mark
    {
        explicit mark(bool& held) : of(held) { of = true; }
        ~mark() { of = false; }
        bool& of;
    } held(held_);
    const auto since = time_->now();
    const auto freed = co_await catch_failure(sink_.room());
    core_.on_released(since, time_->now());
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    // Cancelled by the stop or the deadline: the caller decides the next action.
    if (!freed && !ends() && !is_cancelled(cancellation)) next_ = core_.on_lost(freed.error());
    co_return freed.has_value() && !ends();
}

asio::awaitable<result<list_page>> reflector_driver::list(list_options options)
{
    co_return co_await with_timeout(*time_, policy_.list_timeout, source_->describe(), ask_list(std::move(options)));
}

// A coroutine, so that a source that throws before it suspends fails like one that throws later.
asio::awaitable<result<list_page>> reflector_driver::ask_list(list_options options)
{
    co_return co_await source_->list(std::move(options));
}

asio::awaitable<result<std::unique_ptr<watch_stream>>> reflector_driver::ask_watch(watch_options options)
{
    co_return co_await source_->watch(std::move(options));
}

asio::awaitable<result<>> reflector_driver::open(watch_options options)
{
    KUBECORO_TRY(stream_, co_await with_timeout(*time_, policy_.open_timeout, source_->describe(),
                                                ask_watch(std::move(options))));
    co_return result<>{};
}

asio::awaitable<reflector_driver::action> reflector_driver::watch(reflector_core::do_watch ask)
{
    const auto opened = co_await open(std::move(ask.options));
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (stopping_ || is_cancelled(cancellation)) {
        stream_.reset(); // may have opened despite the cancellation, and this object may be kept alive by handles
        co_return core_.on_cancel();
    }
    next_ = core_.on_watch_opened(opened, time_->now());
    report();
    if (std::holds_alternative<reflector_core::do_read>(next_)) {
        list_wanted_.emplace();
        watch_over_ = false;
        const bool ended = co_await race(read(), until_silent_or_wanted());
        list_wanted_.reset();
        watch_over_ = false;
        const auto stopped = co_await asio::this_coro::cancellation_state;
        // The read was cancelled while waiting, with nothing half done: the core still expects events.
        if (stopping_ || is_cancelled(stopped))
            next_ = core_.on_cancel();
        else if (!ended && std::holds_alternative<reflector_core::do_read>(next_))
            next_ = core_.on_silence(time_->now());
    }
    stream_.reset();
    co_return std::move(next_);
}

asio::awaitable<result<>> reflector_driver::read()
{
    while (std::holds_alternative<reflector_core::do_read>(next_) && !ends()) {
        result<std::vector<watch_event>> batch = failure(cond::internal);
        try { // the source's call, which may throw before it suspends
            batch = co_await stream_->next();
        } catch (...) {
            batch = to_failure(std::current_exception());
        }
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        const bool cancelled = ends() || is_cancelled(cancellation);
        if (!is_cancelled(cancellation)) co_await own_filter();
        co_await own_throws();
        // Cancelled by the stop or the deadline: the caller decides the next action.
        if (!batch && cancelled) break;
        const auto now = time_->now();
        if (batch && batch->empty() && stream_->ended_early())
            next_ = core_.on_ended_early(now);
        else
            next_ = batch ? core_.on_events(std::move(*batch), now) : core_.on_watch_failed(batch.error(), now);
        apply();
        if (!sink_.has_room()) {
            if (!co_await hold()) break;
        }
        report();
    }
    co_return result<>{};
}

asio::awaitable<result<>> reflector_driver::until_silent_or_wanted()
{
    co_await race(until_silent(), list_wanted_->wait());
    watch_over_ = true;
    co_return result<>{};
}

asio::awaitable<result<>> reflector_driver::until_silent()
{
    const auto executor = co_await asio::this_coro::executor;
    const auto alarm = time_->make_timer(executor);
    for (;;) {
        const auto now = time_->now();
        const auto until = held_ ? time_after(now, held_check) : core_.silent_until();
        if (now >= until) co_return result<>{};
        // Events can make the deadline earlier: idle_timeout starts to apply.
        const bool idle = policy_.idle_timeout != duration::zero();
        alarm->expires_at(idle ? std::min(until, time_after(now, policy_.idle_timeout)) : until);
        KUBECORO_TRY(co_await alarm->wait());
    }
}

void reflector_driver::report()
{
    for (auto& what : core_.take_incidents()) sink_.report(std::move(what));
    if (core_.state() != informer_state::listing) turn_.reset();
    sink_.progress(core_);
}

} // namespace kubecoro::detail
