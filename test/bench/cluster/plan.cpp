#include "plan.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kubecoro::bench::live {

namespace {

constexpr std::string_view updates = "updates-";
constexpr std::string_view watching = "watches-";

bool contains(const std::vector<std::string>& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

std::optional<unsigned> number_behind(std::string_view start, const std::string& workload)
{
    unsigned n = 0;
    if (!workload.starts_with(start)) return {};
    std::from_chars(workload.data() + start.size(), workload.data() + workload.size(), n);
    return n;
}

bool wanted(const plan_options& options, const subject& s)
{
    if (options.subjects.empty()) return true;
    return std::any_of(options.subjects.begin(), options.subjects.end(),
                       [&](const std::string& choice) { return is_chosen(s.name, choice); });
}

bool is_of_requests(const std::string& workload)
{
    return workload == "gets" || workload == "creates" || workload.starts_with(watching);
}

/// Custom resources have one form and their own clients; the informers of a workload with updates cover one namespace.
bool takes_part(const subject& s, const std::string& workload, const std::string& resource)
{
    if (is_of_requests(workload) != (resource == config_maps)) return false;
    if (s.part == share::requests_floor) return workload.starts_with(watching);
    if ((s.part == share::requests) != (resource == config_maps)) return false;
    if (resource == config_maps) return true;
    if (resource == "widgets") return s.custom && workload == "sync";
    if (s.part == share::floor) return workload.starts_with(updates);
    return workload == "sync" || s.namespaces;
}

void add_group(std::vector<group_plan>& plan, group_plan group, bool only_sync, const plan_options& options,
               const std::vector<subject>& subjects)
{
    for (const auto& workload : workload_names()) {
        if (only_sync && workload != "sync") continue;
        if (!options.names.empty() && !contains(options.names, workload)) continue;
        for (std::size_t i = 0; i < subjects.size(); ++i)
            if (wanted(options, subjects[i]) && takes_part(subjects[i], workload, group.resource))
                group.sessions.push_back(
                    {.workload = workload, .resource = group.resource, .objects = group.objects, .subject = i});
    }
    if (!group.sessions.empty()) plan.push_back(std::move(group));
}

} // namespace

unsigned session_plan::informers() const { return number_behind(updates, workload).value_or(1); }

unsigned session_plan::watches() const { return number_behind(watching, workload).value_or(0); }

cell session_plan::cell_of(const std::vector<bench::subject>& subjects, std::string_view metric,
                           std::string_view unit) const
{
    return {.workload = workload,
            .subject = subjects[subject].name,
            .data = resource,
            .objects = objects,
            .metric = std::string(metric),
            .unit = std::string(unit)};
}

const std::vector<std::string>& workload_names()
{
    static const std::vector<std::string> all{"sync",        "relist", "latency", "updates-10", "updates-50",
                                              "updates-200", "gets",   "creates", "watches-100"};
    return all;
}

std::vector<group_plan> make_plan(const plan_options& options, const std::vector<subject>& subjects)
{
    auto sizes = options.pods;
    std::sort(sizes.begin(), sizes.end());
    std::vector<group_plan> plan;
    for (auto size : sizes)
        add_group(plan, {.resource = "pods", .objects = size, .sessions = {}}, size != sizes.front(), options,
                  subjects);
    if (options.widgets)
        add_group(plan, {.resource = "widgets", .objects = options.widgets, .sessions = {}}, true, options, subjects);
    if (options.requests)
        add_group(plan, {.resource = std::string(config_maps), .objects = options.requests, .sessions = {}}, false,
                  options, subjects);
    return plan;
}

std::vector<session_plan> sessions_of_round(const group_plan& group, unsigned round)
{
    auto sessions = group.sessions;
    for (auto begin = sessions.begin(); begin != sessions.end();) {
        const auto end =
            std::find_if(begin, sessions.end(), [&](const session_plan& s) { return s.workload != begin->workload; });
        std::rotate(begin, begin + static_cast<std::ptrdiff_t>(round % static_cast<unsigned>(end - begin)), end);
        begin = end;
    }
    return sessions;
}

std::vector<group_plan> without_finished(std::vector<group_plan> plan, unsigned rounds,
                                         const std::vector<subject>& subjects, const std::vector<row>& rows)
{
    auto finished = [&](const session_plan& s) {
        return std::any_of(rows.begin(), rows.end(), [&](const row& r) {
            return s.cell_of(subjects, r.what.metric, r.what.unit) == r.what &&
                   (r.value.rounds >= rounds || was_given_up(r));
        });
    };
    for (auto& group : plan) std::erase_if(group.sessions, finished);
    std::erase_if(plan, [](const group_plan& g) { return g.sessions.empty(); });
    return plan;
}

std::string describe_plan(const std::vector<group_plan>& plan, const std::vector<subject>& subjects, unsigned rounds)
{
    std::string text = std::to_string(rounds) + " round(s)\n";
    for (const auto& group : plan) {
        std::string_view workload;
        for (const auto& s : group.sessions) {
            if (s.workload != workload)
                text += (workload.empty() ? "" : "\n") + s.workload + ", " + std::to_string(s.objects) + " " +
                        s.resource + ":";
            workload = s.workload;
            text += " " + subjects[s.subject].name;
        }
        text += '\n';
    }
    return text;
}

} // namespace kubecoro::bench::live
