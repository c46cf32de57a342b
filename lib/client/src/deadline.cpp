#include "deadline.hpp"

#include <kubecoro/base/guard.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include <cstdio>
#include <exception>
#include <variant>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

std::string in_words(duration d)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(d).count());
    return text;
}

// A spawned coroutine lets only terminal cancellation in unless it says otherwise.
asio::awaitable<result<>> with_partial_cancellation(asio::awaitable<result<>> operation)
{
    co_await asio::this_coro::reset_cancellation_state(asio::enable_partial_cancellation());
    co_return co_await guard(std::move(operation));
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

/// On the caller's executor, never on a strand of our own: Asio 1.81 forwards a cancellation to another executor by a
/// pointer into the waiting operation, which is gone when that has completed meanwhile.
asio::awaitable<result<>> race(asio::awaitable<result<>> operation, asio::awaitable<result<>> alarm, duration limit,
                               std::string doing)
{
    using namespace asio::experimental::awaitable_operators;
    auto both = with_partial_cancellation(std::move(operation)) || with_partial_cancellation(std::move(alarm));
    std::variant<result<>, result<>> first;
    try {
        first = co_await std::move(both);
    } catch (const std::exception&) { // cancelled before either had begun
        co_return failure(cond::cancelled);
    }
    if (first.index() == 0) co_return std::get<0>(std::move(first));
    result<>& rang = std::get<1>(first);
    if (!rang) co_return std::move(rang).error();
    co_return failure(cond::timed_out, std::move(doing) + " took longer than " + in_words(limit));
}

} // namespace

asio::awaitable<result<>> with_deadline(time_source& time, duration limit, asio::awaitable<result<>> operation,
                                        std::string doing)
{
    if (limit == duration::zero()) co_return co_await guard(std::move(operation));
    auto racing = race(std::move(operation), sleep_for(time, limit), limit, std::move(doing));
    co_return co_await std::move(racing);
}

asio::awaitable<result<>> with_idle_limit(time_source& time, duration limit, const time_point& since,
                                          asio::awaitable<result<>> operation, std::string doing)
{
    if (limit == duration::zero()) co_return co_await guard(std::move(operation));
    auto racing = race(std::move(operation), until_idle(time, limit, since), limit, std::move(doing));
    co_return co_await std::move(racing);
}

} // namespace kubecoro::detail
