#include "schema/cron_schedule.hpp"

#include "text/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

namespace kubecoro::apiserver {
namespace {

constexpr std::array<std::string_view, 12> months{"jan", "feb", "mar", "apr", "may", "jun",
                                                  "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> days{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct field
{
    unsigned lowest;
    unsigned highest;
    /// The names of its numbers, from the lowest on.
    std::span<const std::string_view> names = {};
};

constexpr std::array<field, 5> fields{
    field{0, 59}, field{0, 23}, field{1, 31}, field{1, 12, months}, field{0, 6, days},
};

std::vector<std::string_view> split(std::string_view text, std::string_view separators)
{
    std::vector<std::string_view> out;
    while (true) {
        const auto end = text.find_first_of(separators);
        out.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return out;
        text.remove_prefix(end + 1);
    }
}

/// Without empty parts.
std::vector<std::string_view> words(std::string_view text, std::string_view separators)
{
    auto out = split(text, separators);
    std::erase(out, std::string_view());
    return out;
}

/// @param problem  Set if the text is no number. @return the number.
unsigned number(std::string_view text, const field& of, std::string& problem)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const auto named = std::find(of.names.begin(), of.names.end(), lower);
    if (named != of.names.end()) return of.lowest + static_cast<unsigned>(named - of.names.begin());
    int value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || ec != std::errc{} || end != text.data() + text.size())
        problem = "failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " + quote(text) +
                  ": invalid syntax";
    else if (value < 0)
        problem = "negative number (" + std::to_string(value) + ") not allowed: " + std::string(text);
    return static_cast<unsigned>(value);
}

/// One of the alternatives of a field: "*", "5", "1-5", and each with a step.
std::string range_problem(std::string_view text, const field& of)
{
    const auto shown = ": " + std::string(text);
    const auto with_step = split(text, "/");
    const auto ends = split(with_step[0], "-");
    std::string problem;
    auto from = of.lowest, to = of.highest;
    if (ends[0] != "*" && ends[0] != "?") {
        from = number(ends[0], of, problem);
        if (!problem.empty()) return problem;
        if (ends.size() > 2) return "too many hyphens" + shown;
        to = ends.size() == 2 ? number(ends[1], of, problem) : from;
        if (!problem.empty()) return problem;
    }
    if (with_step.size() > 2) return "too many slashes" + shown;
    if (with_step.size() == 2) {
        const auto step = number(with_step[1], {0, 0}, problem);
        if (!problem.empty()) return problem;
        if (ends.size() == 1) to = of.highest;
        if (step == 0) problem = "step of range should be a positive number" + shown;
    }
    const auto bound = [](std::string_view end, unsigned value, std::string_view than, unsigned limit) {
        return std::string(end) + " of range (" + std::to_string(value) + ") " + std::string(than) + " (" +
               std::to_string(limit) + ")";
    };
    if (from < of.lowest) return bound("beginning", from, "below minimum", of.lowest) + shown;
    if (to > of.highest) return bound("end", to, "above maximum", of.highest) + shown;
    if (from > to) return bound("beginning", from, "beyond end of range", to) + shown;
    return problem;
}

std::string descriptor_problem(std::string_view text)
{
    for (const std::string_view known :
         {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"})
        if (text == known) return {};
    if (text.starts_with("@every ")) return {}; // A duration, whose form is not checked.
    return "unrecognized descriptor: " + std::string(text);
}

} // namespace

std::string cron_schedule_problem(std::string_view schedule)
{
    if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) return {}; // Refused by another rule.
    if (schedule.starts_with('@')) return descriptor_problem(schedule);
    const auto given = words(schedule, " \t\r\n\v\f");
    if (given.size() != fields.size()) {
        std::string list;
        for (const auto word : given) list += (list.empty() ? "" : " ") + std::string(word);
        return "expected exactly 5 fields, found " + std::to_string(given.size()) + ": [" + list + "]";
    }
    for (std::size_t i = 0; i < fields.size(); ++i)
        for (const auto each : words(given[i], ","))
            if (auto problem = range_problem(each, fields[i]); !problem.empty()) return problem;
    return {};
}

} // namespace kubecoro::apiserver
