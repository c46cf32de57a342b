#include "reflector.hpp"

#include <kubecoro/base/guard.hpp>
#include <kubecoro/base/timeout.hpp>

#include <kubecoro/base/later.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

reflector::reflector(std::size_t scope, std::shared_ptr<list_watch_source> source, reflector_core core,
                     reflector_policy policy, std::shared_ptr<clock> time, reflector_sink& sink)
    : scope_(scope),
      source_(std::move(source)),
      core_(std::move(core)),
      policy_(policy),
      time_(std::move(time)),
      sink_(sink),
      next_(reflector_core::do_stop{})
{
}

asio::awaitable<result<>> reflector::run()
{
    next_ = core_.start();
    for (;;) {
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none) next_ = core_.on_cancel();
        report();
        if (std::holds_alternative<reflector_core::do_stop>(next_)) break;
        auto step = perform(std::move(next_));
        action decided = co_await std::move(step);
        next_ = std::move(decided);
    }
    co_return failure(cond::cancelled);
}

asio::awaitable<reflector::action> reflector::perform(action a)
{
    if (auto* ask = std::get_if<reflector_core::do_list>(&a)) {
        auto answer = list(std::move(ask->options));
        auto page = co_await std::move(answer);
        co_return core_.on_list(std::move(page));
    }
    if (auto* ask = std::get_if<reflector_core::do_replace>(&a)) {
        const auto done = sink_.replace(scope_, std::move(ask->items), std::move(ask->resource_version));
        co_return core_.on_applied(done, time_->now());
    }
    if (auto* ask = std::get_if<reflector_core::do_watch>(&a)) {
        auto session = watch(std::move(*ask));
        co_return co_await std::move(session);
    }
    if (auto* ask = std::get_if<reflector_core::do_wait>(&a)) {
        if (ask->gone) sink_.vanished(scope_);
        auto waiting = wait(ask->delay);
        co_return co_await std::move(waiting);
    }
    co_return core_.on_cancel();
}

asio::awaitable<reflector::action> reflector::wait(duration delay)
{
    auto pause = sleep_for(*time_, delay);
    auto impatience = impatience_.wait();
    auto either = race(std::move(pause), std::move(impatience));
    waiting_ = true;
    co_await std::move(either);
    waiting_ = false;
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) co_return core_.on_cancel();
    co_return core_.on_wake();
}

// Only a wait that has begun: a wake-up that is kept would cut the next one short.
void reflector::retry_now()
{
    if (waiting_) impatience_.notify();
}

asio::awaitable<result<list_page>> reflector::list(list_options options)
{
    auto answer = source_->list(std::move(options));
    auto limited = with_timeout(*time_, policy_.list_timeout, source_->describe(), std::move(answer));
    co_return co_await std::move(limited);
}

asio::awaitable<result<>> reflector::open(watch_options options)
{
    auto answer = source_->watch(std::move(options));
    auto limited = with_timeout(*time_, policy_.open_timeout, source_->describe(), std::move(answer));
    auto opened = co_await std::move(limited);
    if (!opened) co_return opened.error();
    stream_ = std::move(*opened);
    co_return result<>{};
}

asio::awaitable<reflector::action> reflector::watch(reflector_core::do_watch ask)
{
    auto opening = open(std::move(ask.options));
    const auto opened = co_await std::move(opening);
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
        stream_.reset(); // it may have opened in spite of us; our owner may be kept for long by handles that only read
        co_return core_.on_cancel();
    }
    const auto begun = last_heard_ = time_->now();
    next_ = core_.on_watch_opened(opened, begun);
    report();
    if (std::holds_alternative<reflector_core::do_read>(next_)) {
        auto reading = read();
        auto silence = until_silent(later(begun, ask.end_after));
        auto both = race(std::move(reading), std::move(silence));
        const bool ended = co_await std::move(both);
        const auto stopped = co_await asio::this_coro::cancellation_state;
        // The read was in the middle of its wait, with nothing half done: the core still expects events.
        if (stopped.cancelled() != asio::cancellation_type::none)
            next_ = core_.on_cancel();
        else if (!ended && std::holds_alternative<reflector_core::do_read>(next_))
            next_ = core_.on_watch_failed(failure(cond::timed_out, source_->describe() + ": no end of the watch"),
                                          time_->now());
    }
    stream_.reset();
    co_return std::move(next_);
}

asio::awaitable<result<>> reflector::read()
{
    while (std::holds_alternative<reflector_core::do_read>(next_)) {
        auto reading = guard(stream_->next());
        auto batch = co_await std::move(reading);
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        // Our own end, by the stop or by the deadline: whoever asked for it says what follows.
        if (!batch && cancellation.cancelled() != asio::cancellation_type::none) break;
        last_heard_ = time_->now();
        next_ =
            batch ? core_.on_events(std::move(*batch), last_heard_) : core_.on_watch_failed(batch.error(), last_heard_);
        if (auto* ask = std::get_if<reflector_core::do_apply>(&next_)) {
            const auto done = sink_.apply(scope_, std::move(ask->changes), std::move(ask->resource_version));
            next_ = core_.on_applied(done, last_heard_);
        }
        report();
    }
    co_return result<>{};
}

asio::awaitable<result<>> reflector::until_silent(time_point end)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto alarm = time_->make_timer(executor);
    for (;;) {
        const bool idle_counts = policy_.idle_timeout != duration::zero();
        const auto until = idle_counts ? std::min(end, later(last_heard_, policy_.idle_timeout)) : end;
        if (time_->now() >= until) co_return result<>{};
        alarm->expires_at(until);
        const auto woken = co_await alarm->wait();
        if (!woken) co_return woken;
    }
}

void reflector::report()
{
    for (const auto& what : core_.take_incidents()) sink_.report(scope_, what);
    sink_.progress(scope_, core_);
}

} // namespace kubecoro
