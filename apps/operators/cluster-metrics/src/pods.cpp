#include "containers.hpp"
#include "writers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <arpa/inet.h>

namespace kubecoro::cluster_metrics {
namespace {

constexpr std::string_view containers = "spec.containers";
constexpr std::string_view init_containers = "spec.initContainers";
constexpr std::string_view statuses = "status.containerStatuses";
constexpr std::string_view init_statuses = "status.initContainerStatuses";
constexpr std::string_view conditions_path = "status.conditions";

constexpr std::string_view as_text(bool b) { return b ? "true" : "false"; }

value_view controller_of(const object& o)
{
    for (const auto owner : o.owner_references().items())
        if (owner["controller"].as_bool()) return owner;
    return {};
}

void info(const subject& s, series_sink& out)
{
    const auto spec = s.o["spec"];
    const auto status = s.o["status"];
    const auto creator = controller_of(s.o);
    out.add({{"host_ip", status["hostIP"].as_string()},
             {"pod_ip", status["podIP"].as_string()},
             {"node", spec["nodeName"].as_string()},
             {"created_by_kind", creator["kind"].as_string()},
             {"created_by_name", creator["name"].as_string()},
             {"priority_class", spec["priorityClassName"].as_string()},
             {"host_network", as_text(spec["hostNetwork"].as_bool())}},
            1);
}

std::string_view ip_family(const std::string& address)
{
    std::array<unsigned char, sizeof(in6_addr)> parsed{};
    if (inet_pton(AF_INET, address.c_str(), parsed.data()) == 1) return "4";
    if (inet_pton(AF_INET6, address.c_str(), parsed.data()) == 1) return "6";
    return {};
}

void addresses(const subject& s, series_sink& out)
{
    for (const auto each : s.field.items()) {
        const auto ip = each["ip"].as_string();
        const auto family = ip_family(std::string(ip));
        if (!family.empty()) out.add({{"ip", ip}, {"ip_family", family}}, 1);
    }
}

void completion_time(const subject& s, series_sink& out)
{
    double last = 0;
    for (const auto c : s.field.items())
        last = std::max(last, unix_time(c["state"]["terminated"]["finishedAt"]).value_or(0));
    if (last > 0) out.add(last);
}

void phase(const subject& s, series_sink& out)
{
    const auto now = s.field.as_string();
    if (!now.empty()) one_of(now, "phase", {"Pending", "Succeeded", "Failed", "Unknown", "Running"}, out);
}

void qos_class(const subject& s, series_sink& out)
{
    const auto now = s.field.as_string();
    if (!now.empty()) one_of(now, "qos_class", {"BestEffort", "Burstable", "Guaranteed"}, out);
}

void reason(const subject& s, series_sink& out)
{
    one_of(s.field.as_string(), "reason",
           {"Evicted", "NodeAffinity", "NodeLost", "Shutdown", "UnexpectedAdmissionError"}, out);
}

void condition(const subject& s, std::string_view type, series_sink& out)
{
    for (const auto c : s.field.items())
        if (c["type"].as_string() == type) statuses_of(c, "condition", out);
}

/// Since when the condition holds.
void condition_time(const subject& s, std::string_view type, series_sink& out)
{
    // Go's zero time, for a condition that does not say when.
    constexpr double no_time = -62135596800;
    for (const auto c : s.field.items())
        if (c["type"].as_string() == type && c["status"].as_string() == "True")
            out.add(unix_time(c["lastTransitionTime"]).value_or(no_time));
}

void unschedulable(const subject& s, series_sink& out)
{
    for (const auto c : s.field.items())
        if (c["type"].as_string() == "PodScheduled" && c["status"].as_string() == "False") out.add(1);
}

void overhead(const subject& s, std::string_view resource, series_sink& out)
{
    const auto amount = s.field[resource];
    if (const auto value = resource == "cpu" ? exact_amount(amount) : whole_amount(amount)) out.add(*value);
}

void one_with(const subject& s, std::string_view name, series_sink& out) { out.add({{name, s.field.as_string()}}, 1); }

void runtime_class(const subject& s, series_sink& out)
{
    if (s.field.is_string()) one_with(s, "runtimeclass_name", out);
}

void claims(const subject& s, series_sink& out, bool read_only_value)
{
    for (const auto v : s.field.items()) {
        const auto claim = v["persistentVolumeClaim"];
        if (!claim.is_object()) continue;
        const bool value = !read_only_value || claim["readOnly"].as_bool();
        out.add({{"volume", v["name"].as_string()}, {"persistentvolumeclaim", claim["claimName"].as_string()}},
                value ? 1 : 0);
    }
}

/// Without those that are there twice, which would be one series twice.
void tolerations(const subject& s, series_sink& out)
{
    using toleration = std::array<std::string_view, 4>;
    std::vector<std::pair<toleration, std::string>> all;
    for (const auto t : s.field.items()) {
        const auto seconds = t["tolerationSeconds"];
        all.push_back(
            {{t["key"].as_string(), t["operator"].as_string(), t["value"].as_string(), t["effect"].as_string()},
             seconds.kind() == value_kind::integer ? std::to_string(seconds.as_int64()) : std::string()});
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const auto& [t, seconds] : all)
        out.add({{"key", t[0]}, {"operator", t[1]}, {"value", t[2]}, {"effect", t[3]}, {"toleration_seconds", seconds}},
                1);
}

constexpr std::array families{
    family{"kube_pod_completion_time", "[STABLE] Completion time in unix timestamp for a pod.", completion_time,
           statuses},
    family{"kube_pod_container_info", "[STABLE] Information about a container in a pod.", container_info, containers},
    family{"kube_pod_container_resource_limits",
           "The number of requested limit resource by a container. It is recommended to use the "
           "kube_pod_resource_limits metric exposed by kube-scheduler instead, as it is more precise.",
           container_limits, containers},
    family{"kube_pod_container_resource_requests",
           "The number of requested request resource by a container. It is recommended to use the "
           "kube_pod_resource_requests metric exposed by kube-scheduler instead, as it is more precise.",
           container_requests, containers},
    family{"kube_pod_container_state_started", "[STABLE] Start time in unix timestamp for a pod container.",
           container_started, statuses},
    family{"kube_pod_container_status_last_terminated_reason",
           "Describes the last reason the container was in terminated state.", last_terminated_reason, statuses},
    family{"kube_pod_container_status_last_terminated_exitcode",
           "Describes the exit code for the last container in terminated state.", last_terminated_exit_code, statuses},
    family{"kube_pod_container_status_last_terminated_timestamp",
           "Last terminated time for a pod container in unix timestamp.", last_terminated_time, statuses},
    family{"kube_pod_container_status_ready", "[STABLE] Describes whether the containers readiness check succeeded.",
           container_ready, statuses},
    family{"kube_pod_container_status_restarts_total", "[STABLE] The number of container restarts per container.",
           container_restarts, statuses, family_type::counter},
    family{"kube_pod_container_status_running",
           "[STABLE] Describes whether the container is currently in running state.", container_running, statuses},
    family{"kube_pod_container_status_terminated",
           "[STABLE] Describes whether the container is currently in terminated state.", container_terminated,
           statuses},
    family{"kube_pod_container_status_terminated_reason",
           "Describes the reason the container is currently in terminated state.", terminated_reason, statuses},
    family{"kube_pod_container_status_waiting",
           "[STABLE] Describes whether the container is currently in waiting state.", container_waiting, statuses},
    family{"kube_pod_container_status_waiting_reason",
           "[STABLE] Describes the reason the container is currently in waiting state.", waiting_reason, statuses},
    family{"kube_pod_created", "[STABLE] Unix creation timestamp", time_if_present, "metadata.creationTimestamp"},
    family{"kube_pod_deletion_timestamp", "Unix deletion timestamp", time_if_present, "metadata.deletionTimestamp"},
    family{"kube_pod_info", "[STABLE] Information about pod.", info},
    family{"kube_pod_ips", "Pod IP addresses", addresses, "status.podIPs"},
    family{"kube_pod_init_container_info", "[STABLE] Information about an init container in a pod.",
           init_container_info, init_containers},
    family{"kube_pod_init_container_resource_limits", "The number of requested limit resource by an init container.",
           container_limits, init_containers},
    family{"kube_pod_init_container_resource_requests",
           "The number of requested request resource by an init container.", container_requests, init_containers},
    family{"kube_pod_init_container_status_last_terminated_reason",
           "Describes the last reason the init container was in terminated state.", last_terminated_reason,
           init_statuses},
    family{"kube_pod_init_container_status_ready",
           "[STABLE] Describes whether the init containers readiness check succeeded.", container_ready, init_statuses},
    family{"kube_pod_init_container_status_restarts_total", "[STABLE] The number of restarts for the init container.",
           container_restarts, init_statuses, family_type::counter},
    family{"kube_pod_init_container_status_running",
           "[STABLE] Describes whether the init container is currently in running state.", container_running,
           init_statuses},
    family{"kube_pod_init_container_status_terminated",
           "[STABLE] Describes whether the init container is currently in terminated state.", container_terminated,
           init_statuses},
    family{"kube_pod_init_container_status_terminated_reason",
           "Describes the reason the init container is currently in terminated state.", terminated_reason,
           init_statuses},
    family{"kube_pod_init_container_status_waiting",
           "[STABLE] Describes whether the init container is currently in waiting state.", container_waiting,
           init_statuses},
    family{"kube_pod_init_container_status_waiting_reason",
           "Describes the reason the init container is currently in waiting state.", waiting_reason, init_statuses},
    family{"kube_pod_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_pod_overhead_cpu_cores", "The pod overhead in regards to cpu cores associated with running a pod.",
           [](const subject& s, series_sink& out) { overhead(s, "cpu", out); }, "spec.overhead"},
    family{"kube_pod_overhead_memory_bytes", "The pod overhead in regards to memory associated with running a pod.",
           [](const subject& s, series_sink& out) { overhead(s, "memory", out); }, "spec.overhead"},
    family{"kube_pod_owner", "[STABLE] Information about the Pod's owner.", owners},
    family{"kube_pod_restart_policy", "[STABLE] Describes the restart policy in use by this pod.",
           [](const subject& s, series_sink& out) { one_with(s, "type", out); }, "spec.restartPolicy"},
    family{"kube_pod_runtimeclass_name_info", "The runtimeclass associated with the pod.", runtime_class,
           "spec.runtimeClassName"},
    family{"kube_pod_spec_volumes_persistentvolumeclaims_info",
           "[STABLE] Information about persistentvolumeclaim volumes in a pod.",
           [](const subject& s, series_sink& out) { claims(s, out, false); }, "spec.volumes"},
    family{"kube_pod_spec_volumes_persistentvolumeclaims_readonly",
           "[STABLE] Describes whether a persistentvolumeclaim is mounted read only.",
           [](const subject& s, series_sink& out) { claims(s, out, true); }, "spec.volumes"},
    family{"kube_pod_start_time", "[STABLE] Start time in unix timestamp for a pod.", time_if_present,
           "status.startTime"},
    family{"kube_pod_status_phase", "[STABLE] The pods current phase.", phase, "status.phase"},
    family{"kube_pod_status_qos_class", "The pods current qosClass.", qos_class, "status.qosClass"},
    family{"kube_pod_status_ready", "[STABLE] Describes whether the pod is ready to serve requests.",
           [](const subject& s, series_sink& out) { condition(s, "Ready", out); }, conditions_path},
    family{"kube_pod_status_ready_time", "Readiness achieved time in unix timestamp for a pod.",
           [](const subject& s, series_sink& out) { condition_time(s, "Ready", out); }, conditions_path},
    family{"kube_pod_status_initialized_time", "Initialized time in unix timestamp for a pod.",
           [](const subject& s, series_sink& out) { condition_time(s, "Initialized", out); }, conditions_path},
    family{"kube_pod_status_container_ready_time", "Readiness achieved time in unix timestamp for a pod containers.",
           [](const subject& s, series_sink& out) { condition_time(s, "ContainersReady", out); }, conditions_path},
    family{"kube_pod_status_reason", "The pod status reasons", reason, "status.reason"},
    family{"kube_pod_status_scheduled", "[STABLE] Describes the status of the scheduling process for the pod.",
           [](const subject& s, series_sink& out) { condition(s, "PodScheduled", out); }, conditions_path},
    family{"kube_pod_status_scheduled_time", "[STABLE] Unix timestamp when pod moved into scheduled status",
           [](const subject& s, series_sink& out) { condition_time(s, "PodScheduled", out); }, conditions_path},
    family{"kube_pod_status_unschedulable", "[STABLE] Describes the unschedulable status for the pod.", unschedulable,
           conditions_path},
    family{"kube_pod_tolerations", "Information about the pod tolerations", tolerations, "spec.tolerations"},
    family{"kube_pod_service_account", "The service account for a pod.",
           [](const subject& s, series_sink& out) { one_with(s, "service_account", out); }, "spec.serviceAccountName"},
    family{"kube_pod_scheduler", "The scheduler for a pod.",
           [](const subject& s, series_sink& out) { one_with(s, "name", out); }, "spec.schedulerName"},
};

/// The fields that are read of each container, and of each status of one.
void keep_containers(std::vector<std::string>& keep)
{
    for (const std::string list : {"spec.containers", "spec.initContainers"})
        for (const char* field : {"name", "image", "restartPolicy", "resources.limits", "resources.requests"})
            keep.push_back(list + ".*." + field);
    for (const std::string list : {"status.containerStatuses", "status.initContainerStatuses"})
        for (const char* field :
             {"name", "image", "imageID", "containerID", "ready", "restartCount", "state.running.startedAt",
              "state.waiting.reason", "state.terminated.reason", "state.terminated.startedAt",
              "state.terminated.finishedAt", "lastState.terminated.reason", "lastState.terminated.exitCode",
              "lastState.terminated.finishedAt"})
            keep.push_back(list + ".*." + field);
}

} // namespace

series_kind pods()
{
    series_kind out{{"", "v1", "pods", "Pod"}, {.name = "pod", .has_uid = true}, families};
    out.keep = {"metadata.creationTimestamp",
                "metadata.deletionTimestamp",
                "metadata.ownerReferences",
                "spec.nodeName",
                "spec.hostNetwork",
                "spec.overhead",
                "spec.priorityClassName",
                "spec.restartPolicy",
                "spec.runtimeClassName",
                "spec.schedulerName",
                "spec.serviceAccountName",
                "spec.tolerations",
                "spec.volumes.*.name",
                "spec.volumes.*.persistentVolumeClaim",
                "status.conditions.*.type",
                "status.conditions.*.status",
                "status.conditions.*.lastTransitionTime",
                "status.hostIP",
                "status.phase",
                "status.podIP",
                "status.podIPs",
                "status.qosClass",
                "status.reason",
                "status.startTime"};
    keep_containers(out.keep);
    return out;
}

} // namespace kubecoro::cluster_metrics
