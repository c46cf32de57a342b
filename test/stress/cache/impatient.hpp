#pragma once
// Set-up of the stress tests of informers.

#include <kubecoro/cache/options.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace stress {

/// Runs it on the pool, and waits for its end in this thread, which must not belong to the pool.
template<class T>
T await(boost::asio::thread_pool& pool, boost::asio::awaitable<T> work)
{
    return boost::asio::co_spawn(pool, std::move(work), boost::asio::use_future).get();
}

/// Minimal delays after failures, and watches that end only by failures.
inline kubecoro::factory_options impatient(std::uint64_t seed)
{
    kubecoro::factory_options o;
    o.seed = seed;
    o.policy.backoff.initial = std::chrono::milliseconds{1};
    o.policy.backoff.cap = std::chrono::milliseconds{2};
    o.policy.watch_timeout_min = o.policy.watch_timeout_max = std::chrono::hours{1};
    return o;
}

} // namespace stress
