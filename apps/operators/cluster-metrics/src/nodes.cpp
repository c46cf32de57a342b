#include "label_conversion.hpp"
#include "writers.hpp"

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

void info(const subject& s, series_sink& out)
{
    const auto spec = s.o["spec"];
    const auto system = s.o["status"]["nodeInfo"];
    std::string_view internal_ip;
    for (const auto a : s.o["status"]["addresses"].items())
        if (a["type"].as_string() == "InternalIP") internal_ip = a["address"].as_string();
    out.add({{"kernel_version", system["kernelVersion"].as_string()},
             {"os_image", system["osImage"].as_string()},
             {"container_runtime_version", system["containerRuntimeVersion"].as_string()},
             {"kubelet_version", system["kubeletVersion"].as_string()},
             {"kubeproxy_version", "deprecated"},
             {"provider_id", spec["providerID"].as_string()},
             {"pod_cidr", spec["podCIDR"].as_string()},
             {"system_uuid", system["systemUUID"].as_string()},
             {"internal_ip", internal_ip}},
            1);
}

void role(const subject& s, series_sink& out)
{
    constexpr std::string_view prefix = "node-role.kubernetes.io/";
    for (const auto [name, value] : s.o.labels().members())
        if (name.starts_with(prefix)) out.add({{"role", name.substr(prefix.size())}}, 1);
}

void taints(const subject& s, series_sink& out)
{
    for (const auto t : s.field.items())
        out.add({{"key", t["key"].as_string()}, {"value", t["value"].as_string()}, {"effect", t["effect"].as_string()}},
                1);
}

void amounts(const subject& s, series_sink& out)
{
    for (const auto [resource, amount] : s.field.members()) {
        const auto unit = resource == "pods" ? std::optional(resource_unit{"integer"}) : unit_of(resource);
        const auto value = exact_amount(amount);
        if (!unit || !value) continue;
        const auto name = sanitized(resource);
        out.add({{"resource", name}, {"unit", unit->unit}}, *value);
    }
}

void addresses(const subject& s, series_sink& out)
{
    for (const auto a : s.field.items())
        out.add({{"type", a["type"].as_string()}, {"address", a["address"].as_string()}}, 1);
}

constexpr std::array families{
    family{"kube_node_created", "[STABLE] Unix creation timestamp", time_if_present, "metadata.creationTimestamp"},
    family{"kube_node_deletion_timestamp", "Unix deletion timestamp", time_if_present, "metadata.deletionTimestamp"},
    family{"kube_node_info", "[STABLE] Information about a cluster node.", info},
    family{"kube_node_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_node_role", "The role of a cluster node.", role},
    family{"kube_node_spec_taint", "[STABLE] The taint of a cluster node.", taints, "spec.taints"},
    family{"kube_node_spec_unschedulable", "[STABLE] Whether a node can schedule new pods.", flag,
           "spec.unschedulable"},
    family{"kube_node_status_allocatable",
           "[STABLE] The allocatable for different resources of a node that are available for scheduling.", amounts,
           "status.allocatable"},
    family{"kube_node_status_capacity", "[STABLE] The capacity for different resources of a node.", amounts,
           "status.capacity"},
    family{"kube_node_status_condition", "[STABLE] The condition of a cluster node.", conditions, "status.conditions"},
    family{"kube_node_status_addresses", "Node address information.", addresses, "status.addresses"},
};

} // namespace

series_kind nodes()
{
    series_kind out{{"", "v1", "nodes", "Node", false}, {.name = "node", .has_namespace = false}, families};
    out.keep = {"metadata.creationTimestamp",
                "metadata.deletionTimestamp",
                "metadata.labels",
                "spec.podCIDR",
                "spec.providerID",
                "spec.taints",
                "spec.unschedulable",
                "status.addresses",
                "status.allocatable",
                "status.capacity",
                "status.conditions.*.type",
                "status.conditions.*.status",
                "status.nodeInfo"};
    return out;
}

} // namespace kubecoro::cluster_metrics
