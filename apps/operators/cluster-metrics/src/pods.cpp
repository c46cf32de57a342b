#include "containers.hpp"
#include "typed_family.hpp"
#include "writers.hpp"

#include <kubecoro/core_v1/pod.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <arpa/inet.h>

namespace kubecoro::cluster_metrics {
namespace {

using core_v1::pod;
using pod_conditions = list_view<view<core_v1::pod_condition>>;
using pod_volumes = list_view<view<core_v1::volume>>;

constexpr auto containers = [](view<pod> p) { return p.spec().containers(); };
constexpr auto init_containers = [](view<pod> p) { return p.spec().initContainers(); };
constexpr auto statuses = [](view<pod> p) { return p.status().containerStatuses(); };
constexpr auto init_statuses = [](view<pod> p) { return p.status().initContainerStatuses(); };
constexpr auto volumes = [](view<pod> p) { return p.spec().volumes(); };

constexpr std::string_view as_text(bool b) { return b ? "true" : "false"; }

void pod_info(view<pod> p, const subject& s, series_sink& out)
{
    const auto spec = p.spec();
    const auto status = p.status();
    const auto creator = controller_of(s.o);
    out.add({{"host_ip", status.hostIP()},
             {"pod_ip", status.podIP()},
             {"node", spec.nodeName()},
             {"created_by_kind", creator.kind()},
             {"created_by_name", creator.name()},
             {"priority_class", spec.priorityClassName()},
             {"host_network", as_text(spec.hostNetwork())}},
            1);
}

std::string_view ip_family(const std::string& address)
{
    std::array<unsigned char, sizeof(in6_addr)> parsed{};
    if (inet_pton(AF_INET, address.c_str(), parsed.data()) == 1) return "4";
    if (inet_pton(AF_INET6, address.c_str(), parsed.data()) == 1) return "6";
    return {};
}

void pod_addresses(list_view<view<core_v1::pod_ip>> all, series_sink& out)
{
    for (const auto each : all) {
        const auto ip = each.ip();
        const auto family = ip_family(std::string(ip));
        if (!family.empty()) out.add({{"ip", ip}, {"ip_family", family}}, 1);
    }
}

void completion_time(status_list all, series_sink& out)
{
    double last = 0;
    for (const auto c : all) last = std::max(last, unix_time(c.state().terminated().finishedAt()).value_or(0));
    if (last > 0) out.add(last);
}

void phase(view<core_v1::pod_status> status, series_sink& out)
{
    const auto now = status.phase();
    if (!now.empty()) one_of(now, "phase", {"Pending", "Succeeded", "Failed", "Unknown", "Running"}, out);
}

void qos_class(view<core_v1::pod_status> status, series_sink& out)
{
    const auto now = status.qosClass();
    if (!now.empty()) one_of(now, "qos_class", {"BestEffort", "Burstable", "Guaranteed"}, out);
}

void reason(view<core_v1::pod_status> status, series_sink& out)
{
    one_of(status.reason(), "reason", {"Evicted", "NodeAffinity", "NodeLost", "Shutdown", "UnexpectedAdmissionError"},
           out);
}

void condition(pod_conditions all, std::string_view type, series_sink& out)
{
    for (const auto c : all)
        if (c.type() == type) statuses_of(c.status(), "condition", out);
}

/// Since when the condition holds.
void condition_time(pod_conditions all, std::string_view type, series_sink& out)
{
    // Go's zero time, for a condition that does not say when.
    constexpr double no_time = -62135596800;
    for (const auto c : all)
        if (c.type() == type && c.status() == "True") out.add(unix_time(c.lastTransitionTime()).value_or(no_time));
}

void unschedulable(pod_conditions all, series_sink& out)
{
    for (const auto c : all)
        if (c.type() == "PodScheduled" && c.status() == "False") out.add(1);
}

void cpu_overhead(view<core_v1::pod_spec> spec, series_sink& out)
{
    if (const auto value = exact_amount(spec.overhead()["cpu"])) out.add(*value);
}

void memory_overhead(view<core_v1::pod_spec> spec, series_sink& out)
{
    if (const auto value = whole_amount(spec.overhead()["memory"])) out.add(*value);
}

void runtime_class(view<core_v1::pod_spec> spec, series_sink& out)
{
    if (const auto name = spec.runtimeClassName()) out.add({{"runtimeclass_name", *name}}, 1);
}

void claims(pod_volumes all, bool read_only_value, series_sink& out)
{
    for (const auto v : all) {
        const auto claim = v.persistentVolumeClaim();
        if (!claim) continue;
        const bool value = !read_only_value || claim.readOnly();
        out.add({{"volume", v.name()}, {"persistentvolumeclaim", claim.claimName()}}, value ? 1 : 0);
    }
}

/// Without those that are there twice, which would be one series twice.
void tolerations(list_view<view<core_v1::toleration>> items, series_sink& out)
{
    using toleration = std::array<std::string_view, 4>;
    std::vector<std::pair<toleration, std::string>> all;
    for (const auto t : items) {
        const auto seconds = t.tolerationSeconds();
        all.push_back(
            {{t.key(), t.operator_(), t.value(), t.effect()}, seconds ? std::to_string(*seconds) : std::string()});
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const auto& [t, seconds] : all)
        out.add({{"key", t[0]}, {"operator", t[1]}, {"value", t[2]}, {"effect", t[3]}, {"toleration_seconds", seconds}},
                1);
}

constexpr std::array pod_families{
    series_of<statuses, completion_time>("kube_pod_completion_time",
                                         "[STABLE] Completion time in unix timestamp for a pod."),
    series_of<containers, container_info>("kube_pod_container_info",
                                          "[STABLE] Information about a container in a pod."),
    series_of<containers, container_limits>(
        "kube_pod_container_resource_limits",
        "The number of requested limit resource by a container. It is recommended to use the "
        "kube_pod_resource_limits metric exposed by kube-scheduler instead, as it is more precise."),
    series_of<containers, container_requests>(
        "kube_pod_container_resource_requests",
        "The number of requested request resource by a container. It is recommended to use the "
        "kube_pod_resource_requests metric exposed by kube-scheduler instead, as it is more precise."),
    series_of<statuses, container_started>("kube_pod_container_state_started",
                                           "[STABLE] Start time in unix timestamp for a pod container."),
    series_of<statuses, last_terminated_reason>("kube_pod_container_status_last_terminated_reason",
                                                "Describes the last reason the container was in terminated state."),
    series_of<statuses, last_terminated_exit_code>(
        "kube_pod_container_status_last_terminated_exitcode",
        "Describes the exit code for the last container in terminated state."),
    series_of<statuses, last_terminated_time>("kube_pod_container_status_last_terminated_timestamp",
                                              "Last terminated time for a pod container in unix timestamp."),
    series_of<statuses, container_ready>("kube_pod_container_status_ready",
                                         "[STABLE] Describes whether the containers readiness check succeeded."),
    series_of<statuses, container_restarts>("kube_pod_container_status_restarts_total",
                                            "[STABLE] The number of container restarts per container.",
                                            family_type::counter),
    series_of<statuses, container_running>("kube_pod_container_status_running",
                                           "[STABLE] Describes whether the container is currently in running state."),
    series_of<statuses, container_terminated>(
        "kube_pod_container_status_terminated",
        "[STABLE] Describes whether the container is currently in terminated state."),
    series_of<statuses, terminated_reason>("kube_pod_container_status_terminated_reason",
                                           "Describes the reason the container is currently in terminated state."),
    series_of<statuses, container_waiting>("kube_pod_container_status_waiting",
                                           "[STABLE] Describes whether the container is currently in waiting state."),
    series_of<statuses, waiting_reason>("kube_pod_container_status_waiting_reason",
                                        "[STABLE] Describes the reason the container is currently in waiting state."),
    value_of<metadata_of<pod>, [](auto part) { return part.creationTimestamp(); }>("kube_pod_created",
                                                                                   "[STABLE] Unix creation timestamp"),
    value_of<metadata_of<pod>, [](auto part) { return part.deletionTimestamp(); }>("kube_pod_deletion_timestamp",
                                                                                   "Unix deletion timestamp"),
    series_of<whole<pod>, pod_info>("kube_pod_info", "[STABLE] Information about pod."),
    series_of<[](view<pod> p) { return p.status().podIPs(); }, pod_addresses>("kube_pod_ips", "Pod IP addresses"),
    series_of<init_containers, init_container_info>("kube_pod_init_container_info",
                                                    "[STABLE] Information about an init container in a pod."),
    series_of<init_containers, container_limits>("kube_pod_init_container_resource_limits",
                                                 "The number of requested limit resource by an init container."),
    series_of<init_containers, container_requests>("kube_pod_init_container_resource_requests",
                                                   "The number of requested request resource by an init container."),
    series_of<init_statuses, last_terminated_reason>(
        "kube_pod_init_container_status_last_terminated_reason",
        "Describes the last reason the init container was in terminated state."),
    series_of<init_statuses, container_ready>(
        "kube_pod_init_container_status_ready",
        "[STABLE] Describes whether the init containers readiness check succeeded."),
    series_of<init_statuses, container_restarts>("kube_pod_init_container_status_restarts_total",
                                                 "[STABLE] The number of restarts for the init container.",
                                                 family_type::counter),
    series_of<init_statuses, container_running>(
        "kube_pod_init_container_status_running",
        "[STABLE] Describes whether the init container is currently in running state."),
    series_of<init_statuses, container_terminated>(
        "kube_pod_init_container_status_terminated",
        "[STABLE] Describes whether the init container is currently in terminated state."),
    series_of<init_statuses, terminated_reason>(
        "kube_pod_init_container_status_terminated_reason",
        "Describes the reason the init container is currently in terminated state."),
    series_of<init_statuses, container_waiting>(
        "kube_pod_init_container_status_waiting",
        "[STABLE] Describes whether the init container is currently in waiting state."),
    series_of<init_statuses, waiting_reason>("kube_pod_init_container_status_waiting_reason",
                                             "Describes the reason the init container is currently in waiting state."),
    family{"kube_pod_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    series_of<spec_of<pod>, cpu_overhead>("kube_pod_overhead_cpu_cores",
                                          "The pod overhead in regards to cpu cores associated with running a pod."),
    series_of<spec_of<pod>, memory_overhead>("kube_pod_overhead_memory_bytes",
                                             "The pod overhead in regards to memory associated with running a pod."),
    family{"kube_pod_owner", "[STABLE] Information about the Pod's owner.", owners},
    series_of<spec_of<pod>,
              [](auto spec, series_sink& out) {
                  out.add({{"type", spec.restartPolicy()}}, 1);
              }>("kube_pod_restart_policy", "[STABLE] Describes the restart policy in use by this pod."),
    series_of<spec_of<pod>, runtime_class>("kube_pod_runtimeclass_name_info",
                                           "The runtimeclass associated with the pod."),
    series_of<volumes, [](auto all, series_sink& out) { claims(all, false, out); }>(
        "kube_pod_spec_volumes_persistentvolumeclaims_info",
        "[STABLE] Information about persistentvolumeclaim volumes in a pod."),
    series_of<volumes, [](auto all, series_sink& out) { claims(all, true, out); }>(
        "kube_pod_spec_volumes_persistentvolumeclaims_readonly",
        "[STABLE] Describes whether a persistentvolumeclaim is mounted read only."),
    value_of<status_of<pod>, [](auto part) { return part.startTime(); }>(
        "kube_pod_start_time", "[STABLE] Start time in unix timestamp for a pod."),
    series_of<status_of<pod>, phase>("kube_pod_status_phase", "[STABLE] The pods current phase."),
    series_of<status_of<pod>, qos_class>("kube_pod_status_qos_class", "The pods current qosClass."),
    series_of<conditions_of<pod>, [](auto all, series_sink& out) { condition(all, "Ready", out); }>(
        "kube_pod_status_ready", "[STABLE] Describes whether the pod is ready to serve requests."),
    series_of<conditions_of<pod>, [](auto all, series_sink& out) { condition_time(all, "Ready", out); }>(
        "kube_pod_status_ready_time", "Readiness achieved time in unix timestamp for a pod."),
    series_of<conditions_of<pod>, [](auto all, series_sink& out) { condition_time(all, "Initialized", out); }>(
        "kube_pod_status_initialized_time", "Initialized time in unix timestamp for a pod."),
    series_of<conditions_of<pod>, [](auto all, series_sink& out) { condition_time(all, "ContainersReady", out); }>(
        "kube_pod_status_container_ready_time", "Readiness achieved time in unix timestamp for a pod containers."),
    series_of<status_of<pod>, reason>("kube_pod_status_reason", "The pod status reasons"),
    series_of<conditions_of<pod>, [](auto all, series_sink& out) { condition(all, "PodScheduled", out); }>(
        "kube_pod_status_scheduled", "[STABLE] Describes the status of the scheduling process for the pod."),
    series_of<conditions_of<pod>, [](auto all, series_sink& out) { condition_time(all, "PodScheduled", out); }>(
        "kube_pod_status_scheduled_time", "[STABLE] Unix timestamp when pod moved into scheduled status"),
    series_of<conditions_of<pod>, unschedulable>("kube_pod_status_unschedulable",
                                                 "[STABLE] Describes the unschedulable status for the pod."),
    series_of<[](view<pod> p) { return p.spec().tolerations(); }, tolerations>("kube_pod_tolerations",
                                                                               "Information about the pod tolerations"),
    series_of<spec_of<pod>,
              [](auto spec, series_sink& out) {
                  out.add({{"service_account", spec.serviceAccountName()}}, 1);
              }>("kube_pod_service_account", "The service account for a pod."),
    series_of<spec_of<pod>,
              [](auto spec, series_sink& out) {
                  out.add({{"name", spec.schedulerName()}}, 1);
              }>("kube_pod_scheduler", "The scheduler for a pod."),
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
    series_kind out{{"", "v1", "pods", "Pod"}, {.name = "pod", .has_uid = true}, pod_families};
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
