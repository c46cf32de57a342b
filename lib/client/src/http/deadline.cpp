#include "http/deadline.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/latch.hpp>

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

/** Ends with the operation, and returns whether it was late. The limit ends it, or a cancellation of the caller: every
    kind reaches it as terminal, because composed operations such as async_write ignore total cancellation.

    @param in_clean_up  The caller was cancelled before: only a second cancellation counts. */
asio::awaitable<bool> watch_over(limited_operation& it, time_source& time, duration limit, const time_point& since,
                                 bool in_clean_up)
{
    bool is_late = false;
    bool is_unwanted = false;
    while (!it.ended.settled()) {
        const auto caller = co_await asio::this_coro::cancellation_state;
        if (!in_clean_up && caller.cancelled() != asio::cancellation_type::none) is_unwanted = true;
        if (!is_unwanted && limit != duration::zero()) {
            const auto due = time_after(since, limit);
            is_unwanted = is_late = time.now() >= due;
            if (!is_late) it.alarm->expires_at(due);
        }
        if (is_unwanted) it.stop.emit(asio::cancellation_type::terminal);
        const auto waited = co_await (is_unwanted || limit == duration::zero() ? it.ended.wait() : it.alarm->wait());
        if (!waited) is_unwanted = true; // the caller is cancelled, unless the operation has ended
    }
    co_return is_late;
}

asio::awaitable<result<>> limited(time_source& time, duration limit, const time_point& since,
                                  asio::awaitable<result<>> operation, std::string doing)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto it = std::make_shared<limited_operation>(time.make_timer(executor));
    const auto before = co_await asio::this_coro::cancellation_state;
    const bool in_clean_up = before.cancelled() != asio::cancellation_type::none;
    begin(it, executor, std::move(operation));
    // From here on the operation must be joined, whatever happens to the caller.
    const bool is_late = co_await finishing(watch_over(*it, time, limit, since, in_clean_up));
    if (is_late) co_return failure(cond::timed_out, std::move(doing) + " took longer than " + in_words(limit));
    co_return it->outcome;
}

} // namespace

asio::awaitable<result<>> with_deadline(time_source& time, duration limit, asio::awaitable<result<>> operation,
                                        std::string doing)
{
    const auto begun = time.now();
    co_return co_await limited(time, limit, begun, std::move(operation), std::move(doing));
}

asio::awaitable<result<>> with_idle_limit(time_source& time, duration limit, const time_point& since,
                                          asio::awaitable<result<>> operation, std::string doing)
{
    return limited(time, limit, since, std::move(operation), std::move(doing));
}

} // namespace kubecoro::detail
