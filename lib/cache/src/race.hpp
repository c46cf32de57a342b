#pragma once
// An operation with a deadline, for Asio without cancel_after.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/guard.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>
#include <string>
#include <utility>

namespace kubecoro {

/// Runs both; when one ends, the other is cancelled and awaited. @return whether `work` was the first to end.
/// Both run on the caller's executor, which must be serialised.
inline boost::asio::awaitable<bool> race(boost::asio::awaitable<result<>> work, boost::asio::awaitable<result<>> limit)
{
    using namespace boost::asio::experimental::awaitable_operators;
    auto guarded_work = guard(std::move(work));
    auto guarded_limit = guard(std::move(limit));
    auto both = std::move(guarded_work) || std::move(guarded_limit);
    try {
        const auto first = co_await std::move(both);
        co_return first.index() == 0;
    } catch (const std::exception&) { // cancelled before either had begun
        co_return false;
    }
}

/// As `work`, or cond::timed_out when it has not ended within `limit`; 0 = no limit. When the caller is cancelled either
/// may come out.
template<class T>
boost::asio::awaitable<result<T>> within(clock& time, duration limit, std::string doing,
                                         boost::asio::awaitable<result<T>> work)
{
    if (limit == duration::zero()) {
        auto unlimited = guard(std::move(work));
        co_return co_await std::move(unlimited);
    }
    result<T> outcome = failure(cond::cancelled);
    auto keep = [](boost::asio::awaitable<result<T>> w, result<T>& out) -> boost::asio::awaitable<result<>> {
        auto guarded = guard(std::move(w));
        out = co_await std::move(guarded);
        co_return result<>{};
    };
    auto kept = keep(std::move(work), outcome);
    auto alarm = sleep_for(time, limit);
    auto both = race(std::move(kept), std::move(alarm));
    const bool in_time = co_await std::move(both);
    if (!in_time && !outcome && outcome.error() == cond::cancelled)
        co_return failure(cond::timed_out, doing + ": no answer in time");
    co_return outcome;
}

} // namespace kubecoro
