// Operations that lack memory at each of their allocations in turn.
#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include <cstdint>
#include <functional>

namespace kubecoro::test {

/// Starts an operation whose n-th allocation fails. @param nth  0: none fails.
template<class T>
boost::asio::awaitable<result<T>> failing(std::uint64_t nth, std::function<boost::asio::awaitable<result<T>>()> start)
{
    auto guarded = catch_failure(start);
    fail_allocation(nth);
    auto outcome = co_await std::move(guarded);
    fail_allocation(0);
    co_return outcome;
}

/// Calls a test with 0, and then with the number of each allocation that it has made.
inline void for_each_allocation(const std::function<void(std::uint64_t nth)>& test)
{
    const auto before = allocations_so_far().calls;
    test(0);
    const auto made = allocations_so_far().calls - before;
    for (std::uint64_t nth = 1; nth <= made; ++nth) {
        CAPTURE(nth);
        test(nth);
    }
}

} // namespace kubecoro::test
