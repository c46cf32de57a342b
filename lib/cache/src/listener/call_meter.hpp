#pragma once
// How long a handler's calls take. Sans-io.

#include <kubecoro/base/clock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** Calls begin and end in slots, one call a slot at a time; anybody may look.

    A call that takes longer than slow_after is told of once, and so is a row of them: after a call in time the next slow
    one is news again. Thread safe. */
class call_meter
{
public:
    /// @param slow_after  0 = nothing is slow.
    call_meter(duration slow_after, std::size_t slots);

    void begin(std::size_t slot, time_point now) noexcept { since_[slot] = now.time_since_epoch().count(); }
    /// @return how long the call took, if that is to be told.
    std::optional<duration> end(std::size_t slot, time_point now) noexcept;
    /// How long a call in progress takes already, if that is to be told.
    std::optional<duration> overdue(time_point now) noexcept;

    /// The longest of the calls in progress; 0 when there is none.
    [[nodiscard]] duration running(time_point now) const noexcept;
    [[nodiscard]] std::size_t in_progress() const noexcept;
    [[nodiscard]] duration slowest() const noexcept { return duration(slowest_.load()); }
    /// Calls that ended after more than slow_after, whether told of or not.
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
