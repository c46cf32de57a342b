#pragma once

#include <chrono>
#include <thread>

namespace kubecoro::test {

/** Polls until `reached()` is true, for tests whose other side runs on threads or in another process.

    Yields the processor between polls and never sleeps for a fixed time. The limit only turns a hang into a failure.
    @return whether `reached()` became true. */
template<class Predicate>
[[nodiscard]] bool eventually(Predicate reached, std::chrono::seconds limit = std::chrono::seconds{30})
{
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!reached()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::yield();
    }
    return true;
}

} // namespace kubecoro::test
