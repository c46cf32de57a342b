// Checks which lock or strand the caller has, for KUBECORO_EXPECT. Not installed, like expect.hpp.
#pragma once

#include <kubecoro/base/detail/expect.hpp>

#include <atomic>
#include <mutex>
#include <thread>

namespace kubecoro::detail {

class kept_executor;

/// A std::mutex that knows its holder in builds with KUBECORO_ASSERTIONS.
class checked_mutex
{
public:
    void lock()
    {
        mutex_.lock();
        set_holder(std::this_thread::get_id());
    }
    [[nodiscard]] bool try_lock()
    {
        const bool locked = mutex_.try_lock();
        if (locked) set_holder(std::this_thread::get_id());
        return locked;
    }
    void unlock()
    {
        set_holder({});
        mutex_.unlock();
    }

#ifdef KUBECORO_ASSERTIONS
    /// Whether the calling thread holds it.
    [[nodiscard]] bool held_here() const noexcept { return holder_.load() == std::this_thread::get_id(); }

private:
    void set_holder(std::thread::id id) noexcept { holder_.store(id); }

    std::atomic<std::thread::id> holder_;
#else
    [[nodiscard]] static bool held_here() noexcept { return true; }

private:
    static void set_holder(std::thread::id) noexcept {}
#endif
    std::mutex mutex_;
};

/// Whether the caller runs on that strand. True as well for executors that are no strands, or whose context has ended.
[[nodiscard]] bool runs_on(const kept_executor& executor);

} // namespace kubecoro::detail
