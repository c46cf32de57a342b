// HorizontalPodAutoscalers.
#include "typed_family.hpp"
#include "writers.hpp"

#include <kubecoro/autoscaling_v2/horizontal_pod_autoscaler.hpp>

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

using autoscaler = autoscaling_v2::horizontal_pod_autoscaler;

void autoscaler_info(view<autoscaling_v2::horizontal_pod_autoscaler_spec> spec, series_sink& out)
{
    const auto target = spec.scaleTargetRef();
    const label kind{"scaletargetref_kind", target.kind()};
    const label name{"scaletargetref_name", target.name()};
    const auto version = target.apiVersion();
    if (version.empty()) return out.add({kind, name}, 1);
    out.add({{"scaletargetref_api_version", version}, kind, name}, 1);
}

/// @param at  The target or the present state of a metric.
void values(auto at, std::string_view name, series_sink& out)
{
    const auto add = [&](std::string_view type, std::optional<double> value) {
        if (value) out.add({{"metric_name", name}, {"metric_target_type", type}}, *value);
    };
    add("value", exact_amount(at.value()));
    add("average", exact_amount(at.averageValue()));
    add("utilization", at.averageUtilization());
}

/// @param m     A metric of a specification or of a status.
/// @param read  Returns the target of a source, or its present state.
void metric(auto m, auto read, series_sink& out)
{
    const auto of_metric = [&](auto source) { values(read(source), source.metric().name(), out); };
    const auto of_resource = [&](auto source) { values(read(source), source.name(), out); };
    const auto type = m.type();
    if (type == "Object") of_metric(m.object());
    if (type == "Pods") of_metric(m.pods());
    if (type == "Resource") of_resource(m.resource_());
    if (type == "ContainerResource") of_resource(m.containerResource());
    if (type == "External") of_metric(m.external());
}

void target_metrics(view<autoscaling_v2::horizontal_pod_autoscaler_spec> spec, series_sink& out)
{
    for (const auto m : spec.metrics())
        metric(
            m, [](auto source) { return source.target(); }, out);
}

void current_metrics(view<autoscaling_v2::horizontal_pod_autoscaler_status> status, series_sink& out)
{
    for (const auto m : status.currentMetrics())
        metric(
            m, [](auto source) { return source.current(); }, out);
}

constexpr std::array families{
    series_of<spec_of<autoscaler>, autoscaler_info>("kube_horizontalpodautoscaler_info",
                                                    "Information about this autoscaler."),
    value_of<metadata_of<autoscaler>, [](auto part) { return part.generation(); }>(
        "kube_horizontalpodautoscaler_metadata_generation",
        "[STABLE] The generation observed by the HorizontalPodAutoscaler controller."),
    value_of<spec_of<autoscaler>, [](auto part) { return part.maxReplicas(); }>(
        "kube_horizontalpodautoscaler_spec_max_replicas",
        "[STABLE] Upper limit for the number of pods that can be set by the autoscaler; cannot be smaller than "
        "MinReplicas."),
    value_of<spec_of<autoscaler>, [](auto part) { return part.minReplicas(); }>(
        "kube_horizontalpodautoscaler_spec_min_replicas",
        "[STABLE] Lower limit for the number of pods that can be set by the autoscaler, default 1."),
    series_of<spec_of<autoscaler>, target_metrics>(
        "kube_horizontalpodautoscaler_spec_target_metric",
        "The metric specifications used by this autoscaler when calculating the desired replica count."),
    series_of<status_of<autoscaler>, current_metrics>(
        "kube_horizontalpodautoscaler_status_target_metric",
        "The current metric status used by this autoscaler when calculating the desired replica count."),
    value_of<status_of<autoscaler>, [](auto part) { return part.currentReplicas(); }>(
        "kube_horizontalpodautoscaler_status_current_replicas",
        "[STABLE] Current number of replicas of pods managed by this autoscaler."),
    value_of<status_of<autoscaler>, [](auto part) { return part.desiredReplicas(); }>(
        "kube_horizontalpodautoscaler_status_desired_replicas",
        "[STABLE] Desired number of replicas of pods managed by this autoscaler."),
    family{"kube_horizontalpodautoscaler_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.",
           shown_labels},
    series_of<conditions_of<autoscaler>, conditions>("kube_horizontalpodautoscaler_status_condition",
                                                     "[STABLE] The condition of this autoscaler."),
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
