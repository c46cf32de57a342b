#include "containers.hpp"

#include "label_conversion.hpp"
#include "writers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kubecoro::cluster_metrics {
namespace {

using container = view<core_v1::container>;
using container_status = view<core_v1::container_status>;
using container_state = view<core_v1::container_state>;

/// Go's zero time, which a state has that does not say when.
constexpr double no_time = -62135596800;

constexpr auto waiting = [](container_state s) { return s.waiting(); };
constexpr auto running = [](container_state s) { return s.running(); };
constexpr auto terminated = [](container_state s) { return s.terminated(); };

view<core_v1::pod> pod_of(const subject& s) { return view<core_v1::pod>(s.o.root()); }

/// @param c  A container or its status.
label name_of(auto c) { return {"container", c.name()}; }

/// Calls `f` with each container and each status of its name, in the order of the containers.
template<class F>
void for_each_with_status(container_list containers, status_list statuses, F f)
{
    // Sorted: a pod may have thousands of both, and its owner decides that.
    std::vector<std::pair<std::string_view, container_status>> by_name;
    for (const auto status : statuses) by_name.emplace_back(status.name(), status);
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(by_name.begin(), by_name.end(), less);
    for (const auto c : containers) {
        const auto of_name =
            std::equal_range(by_name.begin(), by_name.end(), std::pair(c.name(), container_status()), less);
        for (auto at = of_name.first; at != of_name.second; ++at) f(c, at->second);
    }
}

/// @param which  Limits or requests.
void amounts(container_list all, const subject& s, auto which, series_sink& out)
{
    const auto node = pod_of(s).spec().nodeName();
    for (const auto c : all)
        for (const auto& [resource, amount] : which(c.resources())) {
            const auto unit = unit_of(resource);
            if (!unit) continue;
            const auto value = unit->exact ? exact_amount(amount) : whole_amount(amount);
            if (!value) continue;
            const auto name = sanitized(resource);
            out.add({name_of(c), {"node", node}, {"resource", name}, {"unit", unit->unit}}, *value);
        }
}

void in_state(status_list all, auto state, series_sink& out)
{
    for (const auto c : all) out.add({name_of(c)}, state(c.state()) ? 1 : 0);
}

void reason_of(status_list all, auto state, series_sink& out)
{
    for (const auto c : all)
        if (const auto at = state(c.state())) out.add({name_of(c), {"reason", at.reason()}}, 1);
}

/// @param read  Makes the value of the last terminated state.
void last_terminated(status_list all, auto read, series_sink& out)
{
    for (const auto c : all)
        if (const auto at = c.lastState().terminated()) out.add({name_of(c)}, read(at));
}

} // namespace

void container_info(container_list all, const subject& s, series_sink& out)
{
    for_each_with_status(all, pod_of(s).status().containerStatuses(), [&out](container c, container_status status) {
        out.add({name_of(c),
                 {"image_spec", c.image()},
                 {"image", status.image()},
                 {"image_id", status.imageID()},
                 {"container_id", status.containerID()}},
                1);
    });
}

void init_container_info(container_list all, const subject& s, series_sink& out)
{
    for_each_with_status(all, pod_of(s).status().initContainerStatuses(), [&out](container c, container_status status) {
        out.add({name_of(c),
                 {"image_spec", c.image()},
                 {"image", status.image()},
                 {"image_id", status.imageID()},
                 {"container_id", status.containerID()},
                 {"restart_policy", c.restartPolicy().value_or("")}},
                1);
    });
}

void container_limits(container_list all, const subject& s, series_sink& out)
{
    amounts(
        all, s, [](auto resources) { return resources.limits(); }, out);
}

void container_requests(container_list all, const subject& s, series_sink& out)
{
    amounts(
        all, s, [](auto resources) { return resources.requests(); }, out);
}

void container_ready(status_list all, series_sink& out)
{
    for (const auto c : all) out.add({name_of(c)}, c.ready() ? 1 : 0);
}

void container_restarts(status_list all, series_sink& out)
{
    for (const auto c : all) out.add({name_of(c)}, c.restartCount());
}

void container_running(status_list all, series_sink& out) { in_state(all, running, out); }
void container_waiting(status_list all, series_sink& out) { in_state(all, waiting, out); }
void container_terminated(status_list all, series_sink& out) { in_state(all, terminated, out); }

void container_started(status_list all, series_sink& out)
{
    for (const auto c : all) {
        const auto state = c.state();
        if (const auto now = state.running())
            out.add({name_of(c)}, unix_time(now.startedAt()).value_or(no_time));
        else if (const auto ended = state.terminated())
            out.add({name_of(c)}, unix_time(ended.startedAt()).value_or(no_time));
    }
}

void waiting_reason(status_list all, series_sink& out) { reason_of(all, waiting, out); }
void terminated_reason(status_list all, series_sink& out) { reason_of(all, terminated, out); }

void last_terminated_reason(status_list all, series_sink& out)
{
    for (const auto c : all)
        if (const auto at = c.lastState().terminated()) out.add({name_of(c), {"reason", at.reason()}}, 1);
}

void last_terminated_exit_code(status_list all, series_sink& out)
{
    last_terminated(
        all, [](auto at) { return static_cast<double>(at.exitCode()); }, out);
}

void last_terminated_time(status_list all, series_sink& out)
{
    last_terminated(
        all, [](auto at) { return unix_time(at.finishedAt()).value_or(no_time); }, out);
}

} // namespace kubecoro::cluster_metrics
