// Validates workloads, jobs and the schedules of CronJobs.
#include "objects/status_errors.hpp"
#include "schema/name_validation.hpp"
#include "schema/pod_validation.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
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

namespace {

using errors::forbidden_field;
using errors::invalid_value;
using errors::not_supported;
using errors::required;

constexpr std::string_view template_path = "spec.template.spec";

/// Checks numbers of a specification at that path.
void check_not_negative(const json::value& body, const std::string& path,
                        std::initializer_list<std::string_view> members, std::vector<status_cause>& causes)
{
    for (const auto member : members) {
        const auto field = path + "." + std::string(member);
        if (const auto number = int_at(body, field); number < 0)
            causes.push_back(invalid_value(field, std::to_string(number), "must be greater than or equal to 0"));
    }
}

void check_template(const json::value& body, const std::string& path, bool mounts, std::vector<status_cause>& causes)
{
    if (const auto* spec = find_at(body, path))
        validate_pod_spec(*spec, path, mounts, causes);
    else
        causes.push_back(required(path + ".containers"));
}

/// Their pods go on for ever.
void check_lasting_template(const json::value& body, std::string_view owner, std::vector<status_cause>& causes)
{
    const auto path = std::string(template_path);
    if (const auto policy = text_at(body, path + ".restartPolicy"); !policy.empty() && policy != "Always")
        causes.push_back(not_supported(path + ".restartPolicy", quote(policy), R"("Always")"));
    if (find_at(body, path + ".activeDeadlineSeconds"))
        causes.push_back(forbidden_field(path + ".activeDeadlineSeconds",
                                         "activeDeadlineSeconds in " + std::string(owner) + " is not Supported"));
}

void check_strategy(const json::value& deployment, std::vector<status_cause>& causes)
{
    const auto type = text_at(deployment, "spec.strategy.type");
    const auto* rolling = object_at(deployment, "spec.strategy.rollingUpdate");
    if (type == "Recreate" && rolling)
        causes.push_back(
            forbidden_field("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'"));
    if (type != "Recreate" && type != "RollingUpdate")
        causes.push_back(not_supported("spec.strategy", R"({"Type":)" + quote(type) + R"(,"RollingUpdate":null})",
                                       R"("Recreate", "RollingUpdate")"));
    const auto is_nothing = [&](std::string_view member) {
        const auto* v = rolling ? rolling->if_contains(member) : nullptr;
        return v && (*v == 0 || *v == "0%");
    };
    if (type == "RollingUpdate" && is_nothing("maxSurge") && is_nothing("maxUnavailable"))
        causes.push_back(invalid_value("spec.strategy.rollingUpdate.maxUnavailable",
                                       to_text(rolling->at("maxUnavailable")), "may not be 0 when `maxSurge` is 0"));
}

void check_labels_selected(const json::value& body, std::vector<status_cause>& causes)
{
    const auto* selector = find_at(body, "spec.selector");
    validate_selector(selector, "spec.selector", causes);
    if (!selector || !selector->is_object()) {
        causes.push_back(required("spec.selector"));
        return;
    }
    const auto* match = object_at(*selector, "matchLabels");
    if (!match) return;
    static const json::object none;
    const auto* labels = object_at(body, "spec.template.metadata.labels");
    if (!labels) labels = &none;
    const bool matches = std::all_of(match->begin(), match->end(), [&](const auto& wanted) {
        const auto* have = labels->if_contains(wanted.key());
        return have && *have == wanted.value();
    });
    if (!matches)
        causes.push_back(invalid_value("spec.template.metadata.labels", to_text(*labels),
                                       "`selector` does not match template `labels`"));
}

} // namespace

void validate_workload(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    check_not_negative(body, "spec", {"replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"},
                       causes);
    check_labels_selected(body, causes);
    // The claims of a stateful set are volumes as well, and a kube-apiserver leaves its mounts to the pods.
    check_template(body, std::string(template_path), info.behaves != builtin::stateful_set, causes);
    check_lasting_template(body, info.behaves == builtin::deployment ? "ReplicaSet" : info.kind, causes);
    if (info.behaves == builtin::deployment) check_strategy(body, causes);
}

void validate_job(const json::value& body, const std::string& path, std::vector<status_cause>& causes)
{
    check_not_negative(
        body, path, {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"},
        causes);
    const auto pods = path + ".template.spec";
    check_template(body, pods, true, causes);
    const auto mode = text_at(body, path + ".completionMode");
    if (!mode.empty() && mode != "NonIndexed" && mode != "Indexed")
        causes.push_back(not_supported(path + ".completionMode", quote(mode), R"("NonIndexed", "Indexed")"));
    const auto field = pods + ".restartPolicy";
    const auto policy = text_at(body, field);
    if (policy.empty() || policy == "Always")
        causes.push_back(required(field, R"(valid values: "OnFailure", "Never")"));
    else if (policy != "OnFailure" && policy != "Never")
        causes.push_back(not_supported(field, quote(policy), R"("OnFailure", "Never")"));
}

} // namespace kubecoro::apiserver
