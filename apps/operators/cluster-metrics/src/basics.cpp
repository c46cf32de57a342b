// Services, Namespaces, ConfigMaps, Secrets.
#include "writers.hpp"

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

constexpr std::string_view created = "metadata.creationTimestamp";

void service_info(const subject& s, series_sink& out)
{
    const auto spec = s.o["spec"];
    out.add({{"cluster_ip", spec["clusterIP"].as_string()},
             {"external_name", spec["externalName"].as_string()},
             {"load_balancer_ip", spec["loadBalancerIP"].as_string()},
             {"external_traffic_policy", spec["externalTrafficPolicy"].as_string()}},
            1);
}

void type(const subject& s, series_sink& out) { out.add({{"type", s.field.as_string()}}, 1); }

void external_ips(const subject& s, series_sink& out)
{
    for (const auto ip : s.field.items()) out.add({{"external_ip", ip.as_string()}}, 1);
}

void ingress(const subject& s, series_sink& out)
{
    for (const auto i : s.field.items())
        out.add({{"ip", i["ip"].as_string()}, {"hostname", i["hostname"].as_string()}}, 1);
}

void namespace_phase(const subject& s, series_sink& out)
{
    one_of(s.field.as_string(), "phase", {"Active", "Terminating"}, out);
}

constexpr std::array service_families{
    family{"kube_service_info", "[STABLE] Information about service.", service_info},
    family{"kube_service_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_service_spec_type", "[STABLE] Type about service.", type, "spec.type"},
    family{"kube_service_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_service_spec_external_ip", "[STABLE] Service external ips. One series for each ip", external_ips,
           "spec.externalIPs"},
    family{"kube_service_status_load_balancer_ingress", "[STABLE] Service load balancer ingress status", ingress,
           "status.loadBalancer.ingress"},
};

constexpr std::array namespace_families{
    family{"kube_namespace_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_namespace_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_namespace_status_phase", "[STABLE] kubernetes namespace status phase.", namespace_phase,
           "status.phase"},
    family{"kube_namespace_status_condition", "The condition of a namespace.", conditions, "status.conditions"},
};

constexpr std::array config_map_families{
    family{"kube_configmap_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_configmap_info", "[STABLE] Information about configmap.", one},
    family{"kube_configmap_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_configmap_metadata_resource_version",
           "Resource version representing a specific version of the configmap.", version},
};

constexpr std::array secret_families{
    family{"kube_secret_info", "[STABLE] Information about secret.", one},
    family{"kube_secret_type", "[STABLE] Type about secret.", type, "type"},
    family{"kube_secret_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{"kube_secret_created", "[STABLE] Unix creation timestamp", time_if_present, created},
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
