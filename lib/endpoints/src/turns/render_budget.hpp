// Bounds the share of its thread's time that a server spends on making pages. Sans-io.
#pragma once

#include <kubecoro/base/clock.hpp>

namespace kubecoro::detail {

/** Time that may be spent on pages, as a token bucket: it fills with a share of the time that passes. A page that costs
    more than is left is made all the same; the next one waits until the debt is paid. */
class render_budget
{
public:
    /// Time that may be spent at once, after a rest, unless another one is given.
    static constexpr duration usual_at_once = std::chrono::milliseconds{100};
    /// A program that was suspended while it made a page does not withhold pages for hours.
    static constexpr duration most_debt = std::chrono::seconds{1};

    /// Counts the time of its scope: what fails has cost as much.
    class cost
    {
    public:
        cost(render_budget& budget, time_source& time, time_point begin) noexcept
            : budget_(budget), time_(time), begin_(begin)
        {
        }
        ~cost() { budget_.spend(begin_, time_.now()); }
        cost(const cost&) = delete;
        cost& operator=(const cost&) = delete;

    private:
        render_budget& budget_;
        time_source& time_;
        const time_point begin_;
    };

    /// @param share         Part of the time that passes: at least 0.01; 1 or more = no limit.
    /// @param most_at_once  Time that may be spent at once, after a rest.
    explicit render_budget(double share, duration most_at_once = usual_at_once) noexcept;

    /// Whether another page may be made. @param least  Time that has to be left.
    [[nodiscard]] bool has_time(time_point now, duration least = duration{1}) noexcept;
    /// Time until another page may be made, a millisecond at least; zero when it may be made now.
    [[nodiscard]] duration wait(time_point now, duration least = duration{1}) noexcept;
    /// Time is used up.
    void take(time_point now, duration spent) noexcept;
    /// A page was made between these points in time.
    void spend(time_point begin, time_point end) noexcept;

private:
    void fill(time_point now) noexcept;

    const double share_;
    const duration most_at_once_;
    duration left_;
    time_point filled_ = {};
    bool begun_ = false;
};

} // namespace kubecoro::detail
