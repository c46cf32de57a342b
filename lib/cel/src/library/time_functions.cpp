#include "library/functions.hpp"

namespace kubecoro::cel::detail {

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// The day and time of a timestamp in the zone of the second argument. Nothing if there is no such zone.
std::optional<civil_time> local_time(arguments in)
{
    const auto zone = in.size() > 1 ? in[1].as_string() : std::string_view{};
    const auto offset = zone_offset(zone, in[0].as_int());
    if (!offset) return std::nullopt;
    return civil_of(in[0].as_int() + *offset);
}

value of_civil(arguments in, std::int64_t (*part)(const civil_time&))
{
    if (!in[0].is(value_type::timestamp) || (in.size() > 1 && !in[1].is(value_type::string))) return no_such_overload();
    const auto time = local_time(in);
    return time ? value::of_int(part(*time)) : make_error("unknown time zone " + std::string(in[1].as_string()));
}

value of_length(arguments in, std::int64_t unit) { return value::of_int(in[0].as_int() / unit); }

value year(resources&, arguments in)
{
    return of_civil(in, [](const civil_time& time) { return time.year; });
}
value month(resources&, arguments in)
{
    return of_civil(in, [](const civil_time& time) { return std::int64_t{time.month - 1}; });
}
value day_of_year(resources&, arguments in)
{
    return of_civil(in, [](const civil_time& time) { return std::int64_t{time.day_of_year}; });
}
value day_of_month(resources&, arguments in)
{
    return of_civil(in, [](const civil_time& time) { return std::int64_t{time.day - 1}; });
}
value date(resources&, arguments in)
{
    return of_civil(in, [](const civil_time& time) { return std::int64_t{time.day}; });
}
value day_of_week(resources&, arguments in)
{
    return of_civil(in, [](const civil_time& time) { return std::int64_t{time.weekday}; });
}
value hours(resources&, arguments in)
{
    if (in[0].is(value_type::duration)) return of_length(in, 3600 * second);
    return of_civil(in, [](const civil_time& time) { return std::int64_t{time.hour}; });
}
value minutes(resources&, arguments in)
{
    if (in[0].is(value_type::duration)) return of_length(in, 60 * second);
    return of_civil(in, [](const civil_time& time) { return std::int64_t{time.minute}; });
}
value seconds(resources&, arguments in)
{
    if (in[0].is(value_type::duration)) return of_length(in, second);
    return of_civil(in, [](const civil_time& time) { return std::int64_t{time.second}; });
}
value milliseconds(resources&, arguments in)
{
    constexpr std::int64_t millisecond = 1'000'000;
    if (in[0].is(value_type::duration)) return of_length(in, millisecond);
    if (!in[0].is(value_type::timestamp)) return no_such_overload();
    const auto time = local_time(in);
    return time ? value::of_int(in[0].nanoseconds() / millisecond)
                : make_error("unknown time zone " + std::string(in[1].as_string()));
}

constexpr function_entry time_entries[] = {
    {"getFullYear", year},
    {"getMonth", month},
    {"getDayOfYear", day_of_year},
    {"getDayOfMonth", day_of_month},
    {"getDate", date},
    {"getDayOfWeek", day_of_week},
    {"getHours", hours},
    {"getMinutes", minutes},
    {"getSeconds", seconds},
    {"getMilliseconds", milliseconds},
};

} // namespace

function_table time_functions() { return {time_entries}; }

} // namespace kubecoro::cel::detail
