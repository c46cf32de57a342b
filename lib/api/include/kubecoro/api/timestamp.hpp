#pragma once

#include <kubecoro/base/result.hpp>

#include <chrono>
#include <compare>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro {

/** A point in time, in UTC, with the precision in which Kubernetes writes it: `timestamp` in seconds (`metav1.Time`),
    `micro_timestamp` in microseconds (`metav1.MicroTime`).

    A parsed time keeps its text, so that one which is not changed is written as it was read. Equality and order are
    those of the points in time. A regular value that converts from and to `std::chrono`; finer times are rounded down.
    Default: the first second of the year 1, which Kubernetes takes for "no time". Distinct objects may be used from
    distinct threads; const access to one from several.
    @tparam Unit  std::chrono::seconds or std::chrono::microseconds. */
template<class Unit>
class basic_timestamp
{
public:
    /// The standard library's type for it. Counts from 1970.
    using time_type = std::chrono::sys_time<Unit>;

    /// No time.
    basic_timestamp() = default;
    /// Any time of the system clock.
    template<class Duration>
    basic_timestamp(std::chrono::sys_time<Duration> time) : time_(std::chrono::floor<Unit>(time))
    {
    }

    /** Reads RFC 3339 as Go does: `2026-01-31T12:00:00Z`, with any offset; a timestamp with any fraction, a
        micro_timestamp with one of six digits. There are no leap seconds.
        Errors: cond::invalid, with the text. */
    [[nodiscard]] static result<basic_timestamp> parse(std::string_view text);

    /// The text as it was read; that of a time that was made is canonical().
    [[nodiscard]] std::string text() const { return written_ ? *written_ : canonical(); }
    /// The text as Kubernetes writes it: in UTC with `Z`, a micro_timestamp with six digits of fraction. Years above
    /// 9999 have more digits, and parse() does not read them.
    [[nodiscard]] std::string canonical() const;

    /// The point in time.
    [[nodiscard]] time_type time() const noexcept { return time_; }
    /// The point in time.
    operator time_type() const noexcept { return time_; }
    /// True for "no time". Kubernetes writes it as null.
    [[nodiscard]] bool is_zero() const noexcept { return time_ == no_time; }

    [[nodiscard]] friend bool operator==(const basic_timestamp& a, const basic_timestamp& b) noexcept
    {
        return a.time_ == b.time_;
    }
    [[nodiscard]] friend std::strong_ordering operator<=>(const basic_timestamp& a, const basic_timestamp& b) noexcept
    {
        return a.time_.time_since_epoch().count() <=> b.time_.time_since_epoch().count();
    }

    /// The time between two of them: `now - created`, also where one is a time of the system clock, in whole units.
    [[nodiscard]] friend Unit operator-(const basic_timestamp& a, const basic_timestamp& b) noexcept
    {
        return a.time_ - b.time_;
    }

    /// Writes its text().
    friend std::ostream& operator<<(std::ostream& out, const basic_timestamp& t) { return t.print(out); }

private:
    std::ostream& print(std::ostream& out) const;

    static constexpr time_type no_time = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};

    time_type time_ = no_time;
    // A text that is not canonical.
    std::shared_ptr<const std::string> written_;
};

/// `metav1.Time`.
using timestamp = basic_timestamp<std::chrono::seconds>;
/// `metav1.MicroTime`.
using micro_timestamp = basic_timestamp<std::chrono::microseconds>;

extern template class basic_timestamp<std::chrono::seconds>;
extern template class basic_timestamp<std::chrono::microseconds>;

} // namespace kubecoro
