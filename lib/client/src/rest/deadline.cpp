#include "rest/deadline.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/saturating_time.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

std::string in_words(duration d)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(d).count());
    return text;
}

/** An operation beside its alarm. Shared with the operation's completion, because either may be destroyed first when
    their context ends.

    The operation is a coroutine of its own and its caller waits for the alarm, which a completion ends: a race of two
    further coroutines would cost a request for a small object a tenth of its time. */
struct limited_operation
{
    explicit limited_operation(std::unique_ptr<timer> t) : alarm(std::move(t)) {}

    void end(result<> how)
    {
        outcome = std::move(how);
        ended.settle({});
        alarm->cancel();
    }

    std::unique_ptr<timer> alarm;
    asio::cancellation_signal stop;
    result<> outcome = failure(cond::cancelled);
    latch ended;
};

/// Runs on the caller's executor, never on another strand: Asio 1.81 forwards a cancellation to another executor
/// through a pointer into the waiting operation, which dangles if that operation has completed by then.
void begin(const std::shared_ptr<limited_operation>& it, const asio::any_io_executor& executor,
           asio::awaitable<result<>> operation)
{
    auto completed = [it](const std::exception_ptr& thrown, result<> outcome) {
        it->end(thrown ? to_failure(thrown) : std::move(outcome));
    };
    asio::co_spawn(executor, catch_failure(std::move(operation)),
                   asio::bind_cancellation_slot(it->stop.slot(), std::move(completed)));
}

asio::awaitable<bool> is_cancelled()
{
    const auto state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

/// Waits until the operation has ended, the limit has passed or the caller is cancelled. Returns whether it is late.
asio::awaitable<bool> watch_over(limited_operation& it, time_source& time, duration limit, const time_point& since)
{
    while (!it.ended.settled()) {
        if (co_await is_cancelled()) co_return false;
        const auto due = time_after(since, limit);
        if (time.now() >= due) co_return true;
        it.alarm->expires_at(due);
        auto waiting = it.alarm->wait();
        (void)co_await std::move(waiting);
    }
    co_return false;
}

/// Ends with the operation. Every kind of cancellation reaches it as terminal: composed operations such as async_write
/// ignore total cancellation.
asio::awaitable<void> join(limited_operation& it, bool is_late)
{
    while (!it.ended.settled()) {
        const bool is_unwanted = co_await is_cancelled();
        if (is_late || is_unwanted) it.stop.emit(asio::cancellation_type::terminal);
        auto ending = it.ended.wait();
        (void)co_await std::move(ending);
    }
}

asio::awaitable<result<>> limited(time_source& time, duration limit, const time_point& since,
                                  asio::awaitable<result<>> operation, std::string doing)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto it = std::make_shared<limited_operation>(time.make_timer(executor));
    begin(it, executor, std::move(operation));
    // From here on the operation must be joined, whatever happens to the caller.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await finish_despite_cancellation();
    bool is_late = false;
    if (limit != duration::zero()) is_late = co_await watch_over(*it, time, limit, since);
    co_await join(*it, is_late);
    co_await asio::this_coro::throw_if_cancelled(throws);
    if (is_late) co_return failure(cond::timed_out, std::move(doing) + " took longer than " + in_words(limit));
    co_return it->outcome;
}

} // namespace

asio::awaitable<result<>> with_deadline(time_source& time, duration limit, asio::awaitable<result<>> operation,
                                        std::string doing)
{
    const auto begun = time.now();
    auto running = limited(time, limit, begun, std::move(operation), std::move(doing));
    co_return co_await std::move(running);
}

asio::awaitable<result<>> with_idle_limit(time_source& time, duration limit, const time_point& since,
                                          asio::awaitable<result<>> operation, std::string doing)
{
    return limited(time, limit, since, std::move(operation), std::move(doing));
}

} // namespace kubecoro::detail
