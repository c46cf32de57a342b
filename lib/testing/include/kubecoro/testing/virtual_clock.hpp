#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace kubecoro::testing {

/** A clock that advances only when a test advances it.

    Starts at the same time in every run (2026-01-01T00:00:00Z). Timers complete in the order of their expiry, those
    with equal expiry in the order of creation. Their coroutines resume through their own executors, never inside
    advance_to(). Thread safe; the timers are not, as for every clock. Timers may outlive the clock. */
class virtual_clock final : public time_source
{
public:
    virtual_clock();
    ~virtual_clock() override;

    [[nodiscard]] time_point now() const noexcept override;
    /// Advances with now().
    [[nodiscard]] wall_time wall_now() const noexcept override;
    [[nodiscard]] std::unique_ptr<timer> make_timer(boost::asio::any_io_executor executor) override;

    /// The earliest expiry of a wait in progress; empty when there is none.
    [[nodiscard]] std::optional<time_point> next_event() const;
    /// Advances to `when` and completes the timers due by then. Does nothing when `when` has passed.
    void advance_to(time_point when);
    /// Moves time forward and lets the timers expire that are due.
    void advance(duration d) { advance_to(now() + d); }
    /// Shifts wall-clock time forward or back, as an administrator would. Monotonic time is not affected.
    void shift_wall(std::chrono::system_clock::duration d);
    /// Number of waits in progress.
    [[nodiscard]] std::size_t waiting() const;

private:
    struct state;
    class alarm;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro::testing
