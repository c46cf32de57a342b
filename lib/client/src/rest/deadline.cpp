#include "rest/deadline.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>

#include <cstdio>
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

/// Completes only by cancellation. Even without a deadline the operation runs in a race, because the race turns every
/// kind of cancellation into terminal: composed operations such as async_write ignore total cancellation.
asio::awaitable<result<>> never()
{
    const latch unsettled;
    auto waiting = unsettled.wait();
    co_return co_await std::move(waiting);
}

asio::awaitable<result<>> until_idle(time_source& time, duration limit, const time_point& since)
{
    for (;;) {
        const auto idle = time.now() - since;
        if (idle >= limit) co_return result<>{};
        auto rest = sleep_for(time, limit - idle);
        auto rang = co_await std::move(rest);
        if (!rang) co_return rang;
    }
}

asio::awaitable<result<>> keep(asio::awaitable<result<>> operation, result<>& outcome)
{
    auto guarded = catch_failure(std::move(operation));
    outcome = co_await std::move(guarded);
    co_return result<>{};
}

/// Runs on the caller's executor, never on another strand: Asio 1.81 forwards a cancellation to another executor
/// through a pointer into the waiting operation, which dangles if that operation has completed by then.
asio::awaitable<result<>> in_time(asio::awaitable<result<>> operation, asio::awaitable<result<>> alarm, duration limit,
                                  std::string doing)
{
    result<> outcome = failure(cond::cancelled);
    result<> rang = failure(cond::cancelled);
    auto working = keep(std::move(operation), outcome);
    auto waiting = keep(std::move(alarm), rang);
    auto both = race(std::move(working), std::move(waiting));
    const bool ended = co_await std::move(both);
    if (ended) co_return outcome;
    if (!rang) co_return rang;
    co_return failure(cond::timed_out, std::move(doing) + " took longer than " + in_words(limit));
}

} // namespace

asio::awaitable<result<>> with_deadline(time_source& time, duration limit, asio::awaitable<result<>> operation,
                                        std::string doing)
{
    auto alarm = limit == duration::zero() ? never() : sleep_for(time, limit);
    auto racing = in_time(std::move(operation), std::move(alarm), limit, std::move(doing));
    co_return co_await std::move(racing);
}

asio::awaitable<result<>> with_idle_limit(time_source& time, duration limit, const time_point& since,
                                          asio::awaitable<result<>> operation, std::string doing)
{
    auto alarm = limit == duration::zero() ? never() : until_idle(time, limit, since);
    auto racing = in_time(std::move(operation), std::move(alarm), limit, std::move(doing));
    co_return co_await std::move(racing);
}

} // namespace kubecoro::detail
