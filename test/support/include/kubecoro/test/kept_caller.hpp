#pragma once
// Checks that an awaitable leaves the coroutine that awaits it as it was.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace kubecoro::test {

/// The caller of an awaitable, after it.
struct caller_after
{
    bool returned = false;
    bool same_executor = false;
    bool throws = false;
};

/// Awaits `call`, and then sleeps for ever: only the throw of a co_await ends it after a cancellation.
template<class T>
boost::asio::awaitable<result<>> await_then_sleep(time_source& time, boost::asio::awaitable<T> call, caller_after& seen)
{
    const auto before = co_await boost::asio::this_coro::executor;
    try {
        (void)co_await std::move(call);
    } catch (...) { // as good an end as any
    }
    const auto after = co_await boost::asio::this_coro::executor;
    seen = {true, before == after, co_await boost::asio::this_coro::throw_if_cancelled()};
    for (;;) (void)co_await sleep_for(time, std::chrono::seconds{1});
}

/** Awaits what `call` returns, and cancels the caller: after the call has ended, or in it if it takes more than an hour.

    @param how       By default a total one, which the runner's coroutines accept and others do not.
    @param handlers  Handlers that run before the caller is cancelled. 0 = all.
    @return nothing when the caller was left as it was, and else what has changed. */
template<class World>
std::string left_by(World& w, const std::function<boost::asio::awaitable<result<>>(caller_after&)>& call,
                    std::size_t handlers, boost::asio::cancellation_type how = boost::asio::cancellation_type::total)
{
    caller_after seen;
    const auto task = w.run.spawn(call(seen));
    if (handlers != 0)
        w.run.step(handlers);
    else
        w.run.advance(std::chrono::hours{1});
    task.cancel(how);
    w.run.advance(std::chrono::minutes{1});
    std::string out;
    if (!task.done()) {
        out = seen.returned ? "the caller cannot be cancelled" : "the call cannot be cancelled";
        task.cancel();
        w.run.advance(std::chrono::hours{1});
    }
    if (seen.returned && !seen.same_executor) out += ", its executor has changed";
    if (seen.returned && !seen.throws) out += ", its co_await does not throw";
    return out;
}

} // namespace kubecoro::test
