// HorizontalPodAutoscalers.
#include "writers.hpp"

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

void info(const subject& s, series_sink& out)
{
    const auto target = s.field;
    const label kind{"scaletargetref_kind", target["kind"].as_string()};
    const label name{"scaletargetref_name", target["name"].as_string()};
    const auto version = target["apiVersion"].as_string();
    if (version.empty()) return out.add({kind, name}, 1);
    out.add({{"scaletargetref_api_version", version}, kind, name}, 1);
}

struct source
{
    std::string_view type;
    std::string_view member;
    /// Whether its name is that of a metric, else of a resource.
    bool has_metric;
};
constexpr std::array<source, 5> sources{
    source{"Object", "object", true}, source{"Pods", "pods", true}, source{"Resource", "resource", false},
    source{"ContainerResource", "containerResource", false}, source{"External", "external", true}};

void values(value_view at, std::string_view name, series_sink& out)
{
    const auto add = [&](std::string_view type, std::optional<double> value) {
        if (value) out.add({{"metric_name", name}, {"metric_target_type", type}}, *value);
    };
    add("value", exact_amount(at["value"]));
    add("average", exact_amount(at["averageValue"]));
    const auto utilization = at["averageUtilization"];
    if (utilization.kind() == value_kind::integer) add("utilization", utilization.as_double());
}

/// @param which  `target` of a specification, `current` of a status.
void metrics_of(const subject& s, std::string_view which, series_sink& out)
{
    for (const auto m : s.field.items())
        for (const auto& each : sources)
            if (m["type"].as_string() == each.type) {
                const auto at = m[each.member];
                const auto name = each.has_metric ? at["metric"]["name"] : at["name"];
                values(at[which], name.as_string(), out);
            }
}

constexpr std::array families{
    family{"kube_horizontalpodautoscaler_info", "Information about this autoscaler.", info, "spec.scaleTargetRef"},
    family{"kube_horizontalpodautoscaler_metadata_generation",
           "[STABLE] The generation observed by the HorizontalPodAutoscaler controller.", number,
           "metadata.generation"},
    family{"kube_horizontalpodautoscaler_spec_max_replicas",
           "[STABLE] Upper limit for the number of pods that can be set by the autoscaler; cannot be smaller than "
           "MinReplicas.",
           number, "spec.maxReplicas"},
    family{"kube_horizontalpodautoscaler_spec_min_replicas",
           "[STABLE] Lower limit for the number of pods that can be set by the autoscaler, default 1.",
           number_if_present, "spec.minReplicas"},
    family{"kube_horizontalpodautoscaler_spec_target_metric",
           "The metric specifications used by this autoscaler when calculating the desired replica count.",
           [](const subject& s, series_sink& out) { metrics_of(s, "target", out); }, "spec.metrics"},
    family{"kube_horizontalpodautoscaler_status_target_metric",
           "The current metric status used by this autoscaler when calculating the desired replica count.",
           [](const subject& s, series_sink& out) { metrics_of(s, "current", out); }, "status.currentMetrics"},
    family{"kube_horizontalpodautoscaler_status_current_replicas",
           "[STABLE] Current number of replicas of pods managed by this autoscaler.", number, "status.currentReplicas"},
    family{"kube_horizontalpodautoscaler_status_desired_replicas",
           "[STABLE] Desired number of replicas of pods managed by this autoscaler.", number, "status.desiredReplicas"},
    family{"kube_horizontalpodautoscaler_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.",
           shown_labels},
    family{"kube_horizontalpodautoscaler_status_condition", "[STABLE] The condition of this autoscaler.", conditions,
           "status.conditions"},
};

} // namespace

series_kind horizontal_pod_autoscalers()
{
    series_kind out{{"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"},
                    {.name = "horizontalpodautoscaler"},
                    families};
    out.keep = {"metadata.generation",       "spec.scaleTargetRef",   "spec.maxReplicas",
                "spec.minReplicas",          "spec.metrics",          "status.currentReplicas",
                "status.desiredReplicas",    "status.currentMetrics", "status.conditions.*.type",
                "status.conditions.*.status"};
    return out;
}

} // namespace kubecoro::cluster_metrics
