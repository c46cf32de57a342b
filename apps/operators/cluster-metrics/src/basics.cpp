// Services, Namespaces, ConfigMaps, Secrets.
#include "typed_family.hpp"
#include "writers.hpp"

#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/namespace_.hpp>
#include <kubecoro/core_v1/secret.hpp>
#include <kubecoro/core_v1/service.hpp>

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

using core_v1::config_map;
using core_v1::namespace_;
using core_v1::secret;
using core_v1::service;

constexpr auto external_ip_list = [](view<service> s) { return s.spec().externalIPs(); };
constexpr auto ingress_list = [](view<service> s) { return s.status().loadBalancer().ingress(); };

void service_info(view<core_v1::service_spec> spec, series_sink& out)
{
    out.add({{"cluster_ip", spec.clusterIP()},
             {"external_name", spec.externalName()},
             {"load_balancer_ip", spec.loadBalancerIP()},
             {"external_traffic_policy", spec.externalTrafficPolicy()}},
            1);
}

/// @param of  Has a type.
constexpr auto type = [](auto of, series_sink& out) { out.add({{"type", of.type()}}, 1); };

void external_ips(list_view<std::string_view> all, series_sink& out)
{
    for (const auto ip : all) out.add({{"external_ip", ip}}, 1);
}

void ingress(list_view<view<core_v1::load_balancer_ingress>> all, series_sink& out)
{
    for (const auto i : all) out.add({{"ip", i.ip()}, {"hostname", i.hostname()}}, 1);
}

void namespace_phase(view<core_v1::namespace_status> status, series_sink& out)
{
    one_of(status.phase(), "phase", {"Active", "Terminating"}, out);
}

constexpr std::array service_families{
    series_of<spec_of<service>, service_info>("kube_service_info", "[STABLE] Information about service."),
    value_of<metadata_of<service>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_service_created", "[STABLE] Unix creation timestamp"),
    series_of<spec_of<service>, type>("kube_service_spec_type", "[STABLE] Type about service."),
    family{"kube_service_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    series_of<external_ip_list, external_ips>("kube_service_spec_external_ip",
                                              "[STABLE] Service external ips. One series for each ip"),
    series_of<ingress_list, ingress>("kube_service_status_load_balancer_ingress",
                                     "[STABLE] Service load balancer ingress status"),
};

constexpr std::array namespace_families{
    value_of<metadata_of<namespace_>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_namespace_created", "[STABLE] Unix creation timestamp"),
    family{"kube_namespace_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    series_of<status_of<namespace_>, namespace_phase>("kube_namespace_status_phase",
                                                      "[STABLE] kubernetes namespace status phase."),
    series_of<conditions_of<namespace_>, conditions>("kube_namespace_status_condition",
                                                     "The condition of a namespace."),
};

constexpr std::array config_map_families{
    family{"kube_configmap_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_configmap_info", "[STABLE] Information about configmap.", one},
    value_of<metadata_of<config_map>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_configmap_created", "[STABLE] Unix creation timestamp"),
    family{"kube_configmap_metadata_resource_version",
           "Resource version representing a specific version of the configmap.", version},
};

constexpr std::array secret_families{
    family{"kube_secret_info", "[STABLE] Information about secret.", one},
    series_of<whole<secret>, type>("kube_secret_type", "[STABLE] Type about secret."),
    family{"kube_secret_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    value_of<metadata_of<secret>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_secret_created", "[STABLE] Unix creation timestamp"),
    family{"kube_secret_metadata_resource_version", "Resource version representing a specific version of secret.",
           version},
    family{"kube_secret_owner", "Information about the Secret's owner.", owners},
};

} // namespace

series_kind services()
{
    series_kind out{{"", "v1", "services", "Service"}, {.name = "service", .has_uid = true}, service_families};
    out.keep = {"metadata.creationTimestamp", "spec.clusterIP", "spec.externalName", "spec.loadBalancerIP",
                "spec.externalTrafficPolicy", "spec.type",      "spec.externalIPs",  "status.loadBalancer.ingress"};
    return out;
}

series_kind namespaces()
{
    series_kind out{{"", "v1", "namespaces", "Namespace", false},
                    {.name = "namespace", .has_namespace = false},
                    namespace_families};
    out.keep = {"metadata.creationTimestamp", "status.phase", "status.conditions.*.type", "status.conditions.*.status"};
    return out;
}

series_kind config_maps()
{
    return {{"", "v1", "configmaps", "ConfigMap"}, {.name = "configmap"}, config_map_families};
}

series_kind secrets()
{
    series_kind out{{"", "v1", "secrets", "Secret"}, {.name = "secret"}, secret_families};
    // No values: they are dropped while the answer is decoded.
    out.keep = {"metadata.creationTimestamp", "metadata.ownerReferences", "type"};
    return out;
}

} // namespace kubecoro::cluster_metrics
