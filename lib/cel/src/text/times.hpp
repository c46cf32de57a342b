// Points in time and lengths of time, as Go reads and writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::cel::detail {

/// A point in time: seconds since 1970 in UTC, and nanoseconds from 0 to 999,999,999.
struct instant
{
    std::int64_t seconds = 0;
    std::int32_t nanoseconds = 0;
};

/// The seconds of 0001-01-01T00:00:00Z and of 9999-12-31T23:59:59Z: the range of timestamps.
inline constexpr std::int64_t first_second = -62'135'596'800;
inline constexpr std::int64_t last_second = 253'402'300'799;

/// A day and a time of day.
struct civil_time
{
    std::int64_t year = 1970;
    int month = 1;
    int day = 1;
    int hour = 0;
    int minute = 0;
    int second = 0;
    /// From 0 for Sunday.
    int weekday = 4;
    /// From 0 for the first of January.
    int day_of_year = 0;
};

/// The days from 1970-01-01 to a day of the Gregorian calendar.
[[nodiscard]] std::int64_t days_to(std::int64_t year, int month, int day) noexcept;
/// The day and time of seconds since 1970.
[[nodiscard]] civil_time civil_of(std::int64_t seconds) noexcept;

/// RFC 3339 as Go's time.Parse takes it.
[[nodiscard]] std::optional<instant> parse_instant(std::string_view text);
/// Year, month and day.
[[nodiscard]] std::optional<instant> parse_day(std::string_view text);
/// RFC 3339 with as many digits of fraction as needed, in UTC or with an offset such as `+01:00`.
[[nodiscard]] std::string write_instant(instant time, std::string_view offset = {});

/// Nanoseconds of a text as Go's time.ParseDuration takes it.
[[nodiscard]] std::optional<std::int64_t> parse_length(std::string_view text);
/// The same, and numbers with words, such as `2 weeks`, which the format `duration` of schemas takes too.
[[nodiscard]] std::optional<std::int64_t> parse_schema_length(std::string_view text);
/// Seconds with a decimal point where needed: `5400s`.
[[nodiscard]] std::string write_length(std::int64_t nanoseconds);

/// The seconds that a zone is ahead of UTC at a point in time: a name of the time zone database, or `[+-]hh:mm`.
[[nodiscard]] std::optional<std::int64_t> zone_offset(std::string_view zone, std::int64_t seconds);

} // namespace kubecoro::cel::detail
