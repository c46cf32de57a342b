// The lock of a work queue.
#include "queue/queue_mutex.hpp"

#include <kubecoro/test/catch.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

using kubecoro::detail::queue_mutex;

namespace {

constexpr int threads = 4;

/// Calls `work` on several threads, and returns when all have ended.
template<class Work>
void on_threads(Work work)
{
    std::vector<std::jthread> all;
    for (int n = 0; n < threads; ++n) all.emplace_back(work);
}

} // namespace

TEST_CASE("queue mutex: one thread at a time holds it", "[workqueue]")
{
    constexpr int rounds = 20'000;
    queue_mutex mutex;
    int counter = 0;
    on_threads([&] {
        for (int n = 0; n < rounds; ++n) {
            const std::lock_guard lock(mutex);
            ++counter;
        }
    });
    CHECK(counter == threads * rounds);
}

TEST_CASE("queue mutex: an unlock wakes a sleeping thread, and each woken thread the next", "[workqueue]")
{
    constexpr int rounds = 200;
    queue_mutex mutex;
    int woken = 0;
    for (int round = 0; round < rounds; ++round) {
        std::atomic<int> begun = 0;
        std::vector<std::jthread> sleepers;
        {
            const std::lock_guard lock(mutex);
            for (int n = 0; n < threads; ++n)
                sleepers.emplace_back([&] {
                    ++begun;
                    const std::lock_guard wait(mutex);
                    ++woken;
                });
            while (begun != threads) std::this_thread::yield();
        }
        sleepers.clear(); // joins: hangs if one is not woken
    }
    CHECK(woken == threads * rounds);
}
