#include "containers.hpp"

#include "label_conversion.hpp"
#include "writers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kubecoro::cluster_metrics {
namespace {

/// Go's zero time, which a state has that does not say when.
constexpr double no_time = -62135596800;

label name_of(value_view c) { return {"container", c["name"].as_string()}; }

/// Calls `f` with each container and each status of its name, in the order of the containers.
template<class F>
void for_each_with_status(value_view containers, value_view statuses, F f)
{
    // Sorted: a pod may have thousands of both, and its owner decides that.
    std::vector<std::pair<std::string_view, value_view>> by_name;
    for (const auto status : statuses.items()) by_name.emplace_back(status["name"].as_string(), status);
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(by_name.begin(), by_name.end(), less);
    for (const auto c : containers.items()) {
        const auto of_name =
            std::equal_range(by_name.begin(), by_name.end(), std::pair(c["name"].as_string(), value_view()), less);
        for (auto at = of_name.first; at != of_name.second; ++at) f(c, at->second);
    }
}

void amounts(const subject& s, std::string_view which, series_sink& out)
{
    const auto node = s.o["spec"]["nodeName"].as_string();
    for (const auto c : s.field.items())
        for (const auto [resource, amount] : c["resources"][which].members()) {
            const auto unit = unit_of(resource);
            if (!unit) continue;
            const auto value = unit->exact ? exact_amount(amount) : whole_amount(amount);
            if (!value) continue;
            const auto name = sanitized(resource);
            out.add({name_of(c), {"node", node}, {"resource", name}, {"unit", unit->unit}}, *value);
        }
}

void in_state(const subject& s, std::string_view state, series_sink& out)
{
    for (const auto c : s.field.items()) out.add({name_of(c)}, c["state"][state].is_object() ? 1 : 0);
}

void reason_of(const subject& s, std::string_view which, std::string_view state, series_sink& out)
{
    for (const auto c : s.field.items()) {
        const auto at = c[which][state];
        if (at.is_object()) out.add({name_of(c), {"reason", at["reason"].as_string()}}, 1);
    }
}

/// `f` makes the value of the last terminated state.
template<class F>
void last_terminated(const subject& s, series_sink& out, F f)
{
    for (const auto c : s.field.items()) {
        const auto at = c["lastState"]["terminated"];
        if (at.is_object()) out.add({name_of(c)}, f(at));
    }
}

} // namespace

void container_info(const subject& s, series_sink& out)
{
    for_each_with_status(s.field, s.o["status"]["containerStatuses"], [&out](value_view c, value_view status) {
        out.add({name_of(c),
                 {"image_spec", c["image"].as_string()},
                 {"image", status["image"].as_string()},
                 {"image_id", status["imageID"].as_string()},
                 {"container_id", status["containerID"].as_string()}},
                1);
    });
}

void init_container_info(const subject& s, series_sink& out)
{
    for_each_with_status(s.field, s.o["status"]["initContainerStatuses"], [&out](value_view c, value_view status) {
        out.add({name_of(c),
                 {"image_spec", c["image"].as_string()},
                 {"image", status["image"].as_string()},
                 {"image_id", status["imageID"].as_string()},
                 {"container_id", status["containerID"].as_string()},
                 {"restart_policy", c["restartPolicy"].as_string()}},
                1);
    });
}

void container_limits(const subject& s, series_sink& out) { amounts(s, "limits", out); }
void container_requests(const subject& s, series_sink& out) { amounts(s, "requests", out); }

void container_ready(const subject& s, series_sink& out)
{
    for (const auto c : s.field.items()) out.add({name_of(c)}, c["ready"].as_bool() ? 1 : 0);
}

void container_restarts(const subject& s, series_sink& out)
{
    for (const auto c : s.field.items()) out.add({name_of(c)}, c["restartCount"].as_double());
}

void container_running(const subject& s, series_sink& out) { in_state(s, "running", out); }
void container_waiting(const subject& s, series_sink& out) { in_state(s, "waiting", out); }
void container_terminated(const subject& s, series_sink& out) { in_state(s, "terminated", out); }

void container_started(const subject& s, series_sink& out)
{
    for (const auto c : s.field.items())
        for (const std::string_view state : {"running", "terminated"}) {
            const auto at = c["state"][state];
            if (!at.is_object()) continue;
            out.add({name_of(c)}, unix_time(at["startedAt"]).value_or(no_time));
            break;
        }
}

void waiting_reason(const subject& s, series_sink& out) { reason_of(s, "state", "waiting", out); }
void terminated_reason(const subject& s, series_sink& out) { reason_of(s, "state", "terminated", out); }
void last_terminated_reason(const subject& s, series_sink& out) { reason_of(s, "lastState", "terminated", out); }

void last_terminated_exit_code(const subject& s, series_sink& out)
{
    last_terminated(s, out, [](value_view at) { return at["exitCode"].as_double(); });
}

void last_terminated_time(const subject& s, series_sink& out)
{
    last_terminated(s, out, [](value_view at) { return unix_time(at["finishedAt"]).value_or(no_time); });
}

} // namespace kubecoro::cluster_metrics
