#pragma once
// Saturating sums of caller-supplied times: "forever" must not overflow into the past.

#include <kubecoro/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <concepts>
#include <memory>
#include <utility>

namespace kubecoro {

/// Length of time; steady_clock ticks.
using duration = std::chrono::steady_clock::duration;

/** A length of time as a caller gives it: of any whole unit, and the longest duration where a duration cannot hold it.

    std::chrono::hours::max() as a duration would be a time in the past. */
class saturating_duration : public duration
{
public:
    constexpr saturating_duration() noexcept : duration(zero()) {}
    /// Keeps the duration.
    constexpr saturating_duration(duration d) noexcept : duration(d) {}
    /// Implicit, so that callers pass `10min`. The longest (shortest) duration if this one is longer (shorter).
    template<std::integral Rep, class Period>
        requires std::convertible_to<std::chrono::duration<Rep, Period>, duration>
    constexpr saturating_duration(std::chrono::duration<Rep, Period> d) noexcept : duration(saturated(d))
    {
    }

private:
    template<class Rep, class Period>
    static constexpr duration saturated(std::chrono::duration<Rep, Period> d) noexcept
    {
        using coarse = std::chrono::duration<rep, Period>;
        constexpr auto longest = std::chrono::floor<coarse>(duration::max());
        if (std::cmp_greater(d.count(), longest.count())) return duration::max();
        return std::cmp_less(d.count(), -longest.count()) ? duration(-longest)
                                                          : duration(coarse(static_cast<rep>(d.count())));
    }
};

/// A moment of a time_source; comparable with those of the same source only.
using time_point = std::chrono::steady_clock::time_point;
/// Calendar time, as objects and certificates carry it.
using wall_time = std::chrono::system_clock::time_point;

/** A timer of a time_source, bound to an executor. Not thread safe: use it from that executor (its strand). */
class timer
{
public:
    virtual ~timer() = default;

    /// Sets the time at which wait() completes. A wait in progress ends with cond::cancelled.
    virtual void expires_at(time_point when) = 0;
    /// Ends a wait in progress with cond::cancelled.
    virtual void cancel() noexcept = 0;

    /** Waits for the time set by expires_at(); completes at once when it has passed.

        @par Errors        cond::cancelled after cancel(), expires_at() or Asio cancellation of the awaiting coroutine.
        @par Cancellation  terminal, partial, total.
        @par In flight     One wait at a time. */
    [[nodiscard]] virtual boost::asio::awaitable<result<>> wait() = 0;
};

/** The source of time. Injected everywhere: nothing in the library reads a system clock directly.

    Thread safe. `real_clock()` for programs, `testing::virtual_clock` for tests. */
class time_source
{
public:
    virtual ~time_source() = default;

    /// Monotonic time, for everything that is measured or waited for.
    [[nodiscard]] virtual time_point now() const noexcept = 0;
    /// Wall-clock time, only for certificates, tokens and timestamps in objects.
    [[nodiscard]] virtual wall_time wall_now() const noexcept = 0;
    /// Returns a timer whose waits complete on the executor.
    [[nodiscard]] virtual std::unique_ptr<timer> make_timer(boost::asio::any_io_executor executor) = 0;
};

/// The system clocks. Stateless and shared.
[[nodiscard]] std::shared_ptr<time_source> real_clock();

/// Waits for `d` on the calling coroutine's executor. Errors: cond::cancelled.
[[nodiscard]] boost::asio::awaitable<result<>> sleep_for(time_source& c, saturating_duration d);

/// a + b, saturated at the longest (shortest) duration.
[[nodiscard]] constexpr duration saturating_sum(duration a, duration b) noexcept
{
    if (b > duration::zero()) return a > duration::max() - b ? duration::max() : a + b;
    return a < duration::min() - b ? duration::min() : a + b;
}

/// The time `d` after `now`, saturated at the last representable one.
[[nodiscard]] constexpr time_point time_after(time_point now, duration d) noexcept
{
    return time_point(saturating_sum(now.time_since_epoch(), d));
}

/// The same length of time, such as a number of seconds or hours, or the longest duration if that is shorter.
[[nodiscard]] constexpr duration saturated(saturating_duration d) noexcept { return d; }

} // namespace kubecoro
