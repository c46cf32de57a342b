#include "label_conversion.hpp"
#include "typed_family.hpp"
#include "writers.hpp"

#include <kubecoro/core_v1/node.hpp>

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

using core_v1::node;
using node_addresses = list_view<view<core_v1::node_address>>;

constexpr auto taint_list = [](view<node> n) { return n.spec().taints(); };
constexpr auto allocatable = [](view<node> n) { return n.status().allocatable(); };
constexpr auto capacity = [](view<node> n) { return n.status().capacity(); };
constexpr auto address_list = [](view<node> n) { return n.status().addresses(); };

void node_info(view<node> n, series_sink& out)
{
    const auto spec = n.spec();
    const auto status = n.status();
    const auto system = status.nodeInfo();
    std::string_view internal_ip;
    for (const auto a : status.addresses())
        if (a.type() == "InternalIP") internal_ip = a.address();
    out.add({{"kernel_version", system.kernelVersion()},
             {"os_image", system.osImage()},
             {"container_runtime_version", system.containerRuntimeVersion()},
             {"kubelet_version", system.kubeletVersion()},
             {"kubeproxy_version", "deprecated"},
             {"provider_id", spec.providerID()},
             {"pod_cidr", spec.podCIDR()},
             {"system_uuid", system.systemUUID()},
             {"internal_ip", internal_ip}},
            1);
}

void role(const subject& s, series_sink& out)
{
    constexpr std::string_view prefix = "node-role.kubernetes.io/";
    for (const auto [name, value] : s.o.labels().members())
        if (name.starts_with(prefix)) out.add({{"role", name.substr(prefix.size())}}, 1);
}

void taints(list_view<view<core_v1::taint>> all, series_sink& out)
{
    for (const auto t : all) out.add({{"key", t.key()}, {"value", t.value()}, {"effect", t.effect()}}, 1);
}

void amounts_of_node(map_view<std::optional<quantity>> all, series_sink& out)
{
    for (const auto& [resource, amount] : all) {
        const auto unit = resource == "pods" ? std::optional(resource_unit{"integer"}) : unit_of(resource);
        const auto value = exact_amount(amount);
        if (!unit || !value) continue;
        const auto name = sanitized(resource);
        out.add({{"resource", name}, {"unit", unit->unit}}, *value);
    }
}

void addresses_of_node(node_addresses all, series_sink& out)
{
    for (const auto a : all) out.add({{"type", a.type()}, {"address", a.address()}}, 1);
}

constexpr std::array node_families{
    value_of<metadata_of<node>, [](auto part) { return part.creationTimestamp(); }>("kube_node_created",
                                                                                    "[STABLE] Unix creation timestamp"),
    value_of<metadata_of<node>, [](auto part) { return part.deletionTimestamp(); }>("kube_node_deletion_timestamp",
                                                                                    "Unix deletion timestamp"),
    series_of<whole<node>, node_info>("kube_node_info", "[STABLE] Information about a cluster node."),
    family{"kube_node_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_node_role", "The role of a cluster node.", role},
    series_of<taint_list, taints>("kube_node_spec_taint", "[STABLE] The taint of a cluster node."),
    value_of<spec_of<node>, [](auto part) { return part.unschedulable(); }>(
        "kube_node_spec_unschedulable", "[STABLE] Whether a node can schedule new pods."),
    series_of<allocatable, amounts_of_node>(
        "kube_node_status_allocatable",
        "[STABLE] The allocatable for different resources of a node that are available for scheduling."),
    series_of<capacity, amounts_of_node>("kube_node_status_capacity",
                                         "[STABLE] The capacity for different resources of a node."),
    series_of<conditions_of<node>, conditions>("kube_node_status_condition",
                                               "[STABLE] The condition of a cluster node."),
    series_of<address_list, addresses_of_node>("kube_node_status_addresses", "Node address information."),
};

} // namespace

series_kind nodes()
{
    series_kind out{{"", "v1", "nodes", "Node", false}, {.name = "node", .has_namespace = false}, node_families};
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
