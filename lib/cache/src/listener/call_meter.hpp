#pragma once
// Measures the duration of a handler's calls. Sans-io.

#include <kubecoro/base/clock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** Measures calls in slots, with one call per slot at a time; readable from any thread.

    Reports a call longer than slow_after once for each streak of slow calls: only a call in time re-arms the report.
    Thread safe. */
class call_meter
{
public:
    /// @param slow_after  0 = no call is slow.
    call_meter(duration slow_after, std::size_t slots);

    void begin(std::size_t slot, time_point now) noexcept { since_[slot] = now.time_since_epoch().count(); }
    /// Returns the duration of the call if it should be reported.
    std::optional<duration> end(std::size_t slot, time_point now) noexcept;
    /// Returns the duration so far of a call in progress if it should be reported.
    std::optional<duration> overdue(time_point now) noexcept;

    /// Returns the duration of the longest call in progress; 0 without one.
    [[nodiscard]] duration running(time_point now) const noexcept;
    [[nodiscard]] std::size_t in_progress() const noexcept;
    [[nodiscard]] duration slowest() const noexcept { return duration(slowest_.load()); }
    /// Number of finished calls longer than slow_after, reported or not.
    [[nodiscard]] std::uint64_t slow() const noexcept { return slow_; }

private:
    [[nodiscard]] bool is_slow(duration took) const noexcept
    {
        return slow_after_ != duration::zero() && took > slow_after_;
    }
    [[nodiscard]] bool is_news(duration took) noexcept { return is_slow(took) && !told_.exchange(true); }

    const duration slow_after_;
    std::vector<std::atomic<duration::rep>> since_;
    std::atomic<duration::rep> slowest_{0};
    std::atomic<std::uint64_t> slow_{0};
    std::atomic<bool> told_{false};
};

} // namespace kubecoro::detail
