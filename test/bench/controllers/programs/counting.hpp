#pragma once

#include <atomic>
#include <cstdint>

namespace kubecoro::bench {

/// Counts reconciles; another thread waits for a number of them.
class counting
{
public:
    explicit counting(std::uint64_t goal) : goal_(goal) {}

    void count() noexcept
    {
        if (++now_ < goal_) return;
        now_.notify_all();
    }
    [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
    /// Sets the goal. Called while nothing is counted.
    void expect(std::uint64_t more) noexcept { goal_ = now_ + more; }
    void wait() const noexcept
    {
        for (auto seen = now_.load(); seen < goal_; seen = now_) now_.wait(seen);
    }

private:
    std::atomic<std::uint64_t> now_ = 0;
    std::atomic<std::uint64_t> goal_;
};

} // namespace kubecoro::bench
