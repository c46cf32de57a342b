#pragma once

#include <atomic>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace kubecoro::detail {

/** The lock of a work queue: held for the work on a few keys, and nearly always free.

    std::mutex does the same by calls of some 30 instructions each beside its atomic operations; here they are inlined,
    one for a lock and one for an unlock, and none in a process that has one thread. Threads that find it held sleep. */
class queue_mutex
{
public:
    queue_mutex() = default;
    queue_mutex(const queue_mutex&) = delete;
    queue_mutex& operator=(const queue_mutex&) = delete;

    void lock() noexcept
    {
        state seen = state::free;
        if (is_alone()) return state_.store(state::held, std::memory_order_relaxed);
        if (!state_.compare_exchange_strong(seen, state::held, std::memory_order_acquire, std::memory_order_relaxed))
            wait_and_lock();
    }
    void unlock() noexcept
    {
        if (is_alone()) return state_.store(state::free, std::memory_order_relaxed);
        if (state_.exchange(state::free) == state::awaited) state_.notify_one();
    }

private:
    enum class state : int
    {
        free,
        held,
        /// Held, and threads may sleep.
        awaited
    };

    /// Whether no other thread exists: starting one, and joining the last one, synchronize with all that came before.
    [[nodiscard]] static bool is_alone() noexcept
    {
#if __has_include(<sys/single_threaded.h>)
        return __libc_single_threaded;
#else
        return false;
#endif
    }

    [[gnu::noinline]] void wait_and_lock() noexcept
    {
        // Others may sleep as well, so the lock is taken as awaited: its unlock() wakes the next one.
        while (state_.exchange(state::awaited, std::memory_order_acquire) != state::free)
            state_.wait(state::awaited, std::memory_order_relaxed);
    }

    std::atomic<state> state_ = state::free;
};

} // namespace kubecoro::detail
