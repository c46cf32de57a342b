#include "live/plans.hpp"

#include "objects/conditions.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <string>

namespace kubecoro::apiserver::live {
namespace {

bool fails(const json::value& body)
{
    const auto* annotations = object_at(body, "metadata.annotations");
    const auto* outcome = annotations ? annotations->if_contains(outcome_annotation) : nullptr;
    return outcome && scalar_text(*outcome) == "fail";
}

bool restarts(const json::value& body)
{
    const auto policy = text_at(body, "spec.restartPolicy");
    return policy.empty() || policy == "Always";
}

/// The time of a text; `otherwise` if it is none.
wall_time time_of(std::string_view text, wall_time otherwise)
{
    wall_time t;
    return parse_time(text, t) ? t : otherwise;
}

wall_time bound_at(const json::value& body, wall_time now)
{
    const auto created = time_of(text_at(body, "metadata.creationTimestamp"), now);
    const auto* scheduled = find_condition(body, "PodScheduled");
    return scheduled ? time_of(text_at(*scheduled, "lastTransitionTime"), created) : created;
}

json::object terminated(std::string_view started, int exit_code, wall_time now)
{
    return {{"exitCode", exit_code},
            {"reason", exit_code == 0 ? "Completed" : "Error"},
            {"startedAt", started},
            {"finishedAt", format_time(now)}};
}

enum class container_state
{
    runs,
    completed,
    failed,
    /// Fails again and again.
    waits
};

json::object container_status(const json::value& container, container_state state, std::string_view started,
                              wall_time now)
{
    json::object s;
    json::object last;
    if (state == container_state::runs)
        s["running"] = {{"startedAt", started}};
    else if (state == container_state::waits) {
        s["waiting"] = {{"reason", "CrashLoopBackOff"}, {"message", "the container fails on purpose"}};
        last["terminated"] = terminated(started, 1, now);
    } else
        s["terminated"] = terminated(started, state == container_state::completed ? 0 : 1, now);
    const bool up = state == container_state::runs;
    return {{"name", text_at(container, "name")},
            {"state", std::move(s)},
            {"lastState", std::move(last)},
            {"ready", up},
            {"restartCount", state == container_state::waits ? 1 : 0},
            {"image", text_at(container, "image")},
            {"imageID", ""},
            {"started", up}};
}

void set_containers(json::object& status, const json::value& body, container_state state, std::string_view started,
                    wall_time now)
{
    json::array all;
    if (const auto* containers = array_at(body, "spec.containers"))
        for (const auto& c : *containers) all.push_back(container_status(c, state, started, now));
    status["containerStatuses"] = std::move(all);
}

void set_ready(json::object& status, bool ready, std::string_view reason, wall_time now)
{
    for (const std::string_view type : {"Ready", "ContainersReady"})
        set_condition(status, {type, ready, reason, {}}, now);
}

std::string address(std::uint32_t number)
{
    return "10." + std::to_string(64 + ((number >> 16) & 63)) + "." + std::to_string((number >> 8) & 255) + "." +
           std::to_string(number & 255);
}

json::object status_of(const json::value& body)
{
    const auto* status = object_at(body, "status");
    return status ? *status : json::object{};
}

json::value start(const json::value& body, std::uint32_t number, wall_time now)
{
    const bool broken = fails(body) && restarts(body);
    auto status = status_of(body);
    const auto time = format_time(now);
    status["phase"] = "Running";
    status["startTime"] = time;
    status["hostIP"] = "127.0.0.1";
    status["hostIPs"] = json::array{{{"ip", "127.0.0.1"}}};
    const auto ip = address(number);
    status["podIP"] = ip;
    status["podIPs"] = json::array{{{"ip", std::string_view(ip)}}};
    for (const std::string_view type : {"PodReadyToStartContainers", "Initialized"}) set_condition(status, {type}, now);
    set_ready(status, !broken, broken ? "ContainersNotReady" : "", now);
    set_containers(status, body, broken ? container_state::waits : container_state::runs, time, now);
    return json::value(std::move(status));
}

json::value finish(const json::value& body, wall_time now)
{
    const bool failed = fails(body);
    auto status = status_of(body);
    const std::string started(text_at(body, "status.startTime"));
    status["phase"] = failed ? "Failed" : "Succeeded";
    set_ready(status, false, failed ? "PodFailed" : "PodCompleted", now);
    set_containers(status, body, failed ? container_state::failed : container_state::completed, started, now);
    return json::value(std::move(status));
}

} // namespace

pod_step next_step(const json::value& body, std::uint32_t number, wall_time now)
{
    if (find_at(body, "metadata.deletionTimestamp")) return {};
    const auto phase = text_at(body, "status.phase");
    const bool waits = phase.empty() || phase == "Pending";
    if (!waits && (phase != "Running" || restarts(body))) return {};
    const auto since = waits ? bound_at(body, now) : time_of(text_at(body, "status.startTime"), now);
    const auto due = since + (waits ? start_after : run_for);
    // One that began in the future began before the calendar was put back.
    if (since <= now && now < due) return {{}, due};
    return {waits ? start(body, number, now) : finish(body, now), {}};
}

} // namespace kubecoro::apiserver::live
