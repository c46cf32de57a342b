#include "render/column_cell.hpp"

#include "render/table_rows.hpp"
#include "text/json_text.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

namespace kubecoro::apiserver {
namespace {

/// As Go prints a number: with an exponent from a million on.
std::string number_text(double number)
{
    constexpr double least = 1e-4, most = 1e6;
    const auto size = std::fabs(number);
    const bool scientific = size != 0 && (size < least || size >= most);
    std::array<char, 64> buffer;
    const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                         scientific ? std::chars_format::scientific : std::chars_format::fixed);
    return {buffer.data(), end};
}

std::string text_of(const json::value& v)
{
    if (v.is_null()) return "<no value>";
    if (v.is_double()) return number_text(v.get_double());
    return v.is_string() ? std::string(v.get_string()) : to_text(v);
}

json::value whole_number(const json::value& v)
{
    if (!v.is_double()) return v;
    constexpr double beyond = 9223372036854775808.0;
    const auto number = std::trunc(v.get_double());
    // Go shows for a number that is too large whatever the processor makes of it.
    return std::fabs(number) < beyond ? static_cast<std::int64_t>(number) : std::numeric_limits<std::int64_t>::min();
}

std::string age_text(std::string_view text, wall_time now)
{
    wall_time time;
    if (text.empty()) return "<unknown>";
    if (!parse_time(text, time)) return "<invalid>";
    return human_duration(std::chrono::duration_cast<std::chrono::seconds>(now - time));
}

} // namespace

json::value column_cell(std::string_view type, const json::value* found, wall_time now)
{
    if (!found) return nullptr;
    if (type == "string") return json::value(std::string_view(text_of(*found)));
    if (type == "boolean" && found->is_bool()) return *found;
    if (type == "integer" && found->is_number()) return whole_number(*found);
    if (type == "number" && found->is_number()) return *found;
    if (type == "date" && found->is_string()) return json::value(std::string_view(age_text(found->get_string(), now)));
    return nullptr;
}

} // namespace kubecoro::apiserver
