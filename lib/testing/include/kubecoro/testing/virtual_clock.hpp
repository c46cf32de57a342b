#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace kubecoro::testing {

/** A clock that stands still until a test moves it.

    Starts at the same moment in every run (2026-01-01T00:00:00Z). Timers complete in the order of their moments, those
    of one moment in the order in which they were made; their coroutines resume through their own executors, never inside
    advance_to(). Thread safe; the timers are not, as for every clock. Timers may outlive the clock. */
class virtual_clock final : public time_source
{
public:
    virtual_clock();
    ~virtual_clock() override;

    [[nodiscard]] time_point now() const noexcept override;
    /// Moves with now().
    [[nodiscard]] wall_time wall_now() const noexcept override;
    [[nodiscard]] std::unique_ptr<timer> make_timer(boost::asio::any_io_executor executor) override;

    /// The moment of the earliest wait in progress; empty when nobody waits.
    [[nodiscard]] std::optional<time_point> next_event() const;
    /// Moves on to `when` and wakes what is due until then; does nothing when `when` has passed.
    void advance_to(time_point when);
    /// Moves time forward and lets the timers expire that are due.
    void advance(duration d) { advance_to(now() + d); }
    /// Sets civil time forward or back, as an administrator would; monotonic time goes on.
    void shift_wall(std::chrono::system_clock::duration d);
    /// Waits in progress.
    [[nodiscard]] std::size_t waiting() const;

private:
    struct state;
    class alarm;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro::testing
