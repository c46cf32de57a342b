// Deployments, ReplicaSets, StatefulSets, DaemonSets.
#include "typed_family.hpp"
#include "writers.hpp"

#include <kubecoro/apps_v1/daemon_set.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/apps_v1/replica_set.hpp>
#include <kubecoro/apps_v1/stateful_set.hpp>

#include <array>

namespace kubecoro::cluster_metrics {
namespace {

using apps_v1::daemon_set;
using apps_v1::deployment;
using apps_v1::replica_set;
using apps_v1::stateful_set;

/// A share of the replicas, which the server has checked to be a number or a percentage.
void share(int_or_string_view share, view<apps_v1::deployment_spec> of, rounding how, series_sink& out)
{
    if (!share) return;
    if (const auto scaled = share.value().scaled(of.replicas().value_or(1), how)) out.add(static_cast<double>(*scaled));
}

void unavailable_share(view<apps_v1::deployment_spec> spec, series_sink& out)
{
    share(spec.strategy().rollingUpdate().maxUnavailable(), spec, rounding::down, out);
}

void surge_share(view<apps_v1::deployment_spec> spec, series_sink& out)
{
    share(spec.strategy().rollingUpdate().maxSurge(), spec, rounding::up, out);
}

void retention(view<apps_v1::stateful_set_spec> spec, series_sink& out)
{
    const auto policy = spec.persistentVolumeClaimRetentionPolicy();
    const auto deleted = policy.whenDeleted();
    const auto scaled = policy.whenScaled();
    if (!deleted.empty() || !scaled.empty()) out.add({{"when_deleted", deleted}, {"when_scaled", scaled}}, 1);
}

/// Numbers that are not written are zero, as in Go: `ordinals: {}` starts at 0.
void first_ordinal(view<apps_v1::stateful_set_spec> spec, series_sink& out)
{
    if (const auto ordinals = spec.ordinals()) out.add(ordinals.start());
}

constexpr std::array deployment_families{
    value_of<metadata_of<deployment>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_deployment_created", "[STABLE] Unix creation timestamp"),
    value_of<status_of<deployment>, [](auto part) { return part.replicas(); }>(
        "kube_deployment_status_replicas", "[STABLE] The number of replicas per deployment."),
    value_of<status_of<deployment>, [](auto part) { return part.readyReplicas(); }>(
        "kube_deployment_status_replicas_ready", "[STABLE] The number of ready replicas per deployment."),
    value_of<status_of<deployment>, [](auto part) { return part.availableReplicas(); }>(
        "kube_deployment_status_replicas_available", "[STABLE] The number of available replicas per deployment."),
    value_of<status_of<deployment>, [](auto part) { return part.unavailableReplicas(); }>(
        "kube_deployment_status_replicas_unavailable", "[STABLE] The number of unavailable replicas per deployment."),
    value_of<status_of<deployment>, [](auto part) { return part.updatedReplicas(); }>(
        "kube_deployment_status_replicas_updated", "[STABLE] The number of updated replicas per deployment."),
    value_of<status_of<deployment>, [](auto part) { return part.observedGeneration(); }>(
        "kube_deployment_status_observed_generation", "[STABLE] The generation observed by the deployment controller."),
    series_of<conditions_of<deployment>, conditions>("kube_deployment_status_condition",
                                                     "[STABLE] The current status conditions of a deployment."),
    value_of<spec_of<deployment>, [](auto part) { return part.replicas(); }>(
        "kube_deployment_spec_replicas", "[STABLE] Number of desired pods for a deployment."),
    value_of<spec_of<deployment>, [](auto part) { return part.paused(); }>(
        "kube_deployment_spec_paused",
        "[STABLE] Whether the deployment is paused and will not be processed by the deployment controller."),
    series_of<spec_of<deployment>, unavailable_share>(
        "kube_deployment_spec_strategy_rollingupdate_max_unavailable",
        "[STABLE] Maximum number of unavailable replicas during a rolling update of a deployment."),
    series_of<spec_of<deployment>, surge_share>(
        "kube_deployment_spec_strategy_rollingupdate_max_surge",
        "[STABLE] Maximum number of replicas that can be scheduled above the desired number of replicas during a "
        "rolling update of a deployment."),
    value_of<metadata_of<deployment>, [](auto part) { return part.generation(); }>(
        "kube_deployment_metadata_generation",
        "[STABLE] Sequence number representing a specific generation of the desired state."),
    family{"kube_deployment_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
};

constexpr std::array replica_set_families{
    value_of<metadata_of<replica_set>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_replicaset_created", "[STABLE] Unix creation timestamp"),
    value_of<status_of<replica_set>, [](auto part) { return part.replicas(); }>(
        "kube_replicaset_status_replicas", "[STABLE] The number of replicas per ReplicaSet."),
    value_of<status_of<replica_set>, [](auto part) { return part.fullyLabeledReplicas(); }>(
        "kube_replicaset_status_fully_labeled_replicas",
        "[STABLE] The number of fully labeled replicas per ReplicaSet."),
    value_of<status_of<replica_set>, [](auto part) { return part.readyReplicas(); }>(
        "kube_replicaset_status_ready_replicas", "[STABLE] The number of ready replicas per ReplicaSet."),
    value_of<status_of<replica_set>, [](auto part) { return part.observedGeneration(); }>(
        "kube_replicaset_status_observed_generation", "[STABLE] The generation observed by the ReplicaSet controller."),
    value_of<spec_of<replica_set>, [](auto part) { return part.replicas(); }>(
        "kube_replicaset_spec_replicas", "[STABLE] Number of desired pods for a ReplicaSet."),
    value_of<metadata_of<replica_set>, [](auto part) { return part.generation(); }>(
        "kube_replicaset_metadata_generation",
        "[STABLE] Sequence number representing a specific generation of the desired state."),
    family{"kube_replicaset_owner", "[STABLE] Information about the ReplicaSet's owner.", owners},
    family{"kube_replicaset_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
};

constexpr std::array stateful_set_families{
    value_of<metadata_of<stateful_set>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_statefulset_created", "[STABLE] Unix creation timestamp"),
    value_of<status_of<stateful_set>, [](auto part) { return part.replicas(); }>(
        "kube_statefulset_status_replicas", "[STABLE] The number of replicas per StatefulSet."),
    value_of<status_of<stateful_set>, [](auto part) { return part.availableReplicas(); }>(
        "kube_statefulset_status_replicas_available", "The number of available replicas per StatefulSet."),
    value_of<status_of<stateful_set>, [](auto part) { return part.currentReplicas(); }>(
        "kube_statefulset_status_replicas_current", "[STABLE] The number of current replicas per StatefulSet."),
    value_of<status_of<stateful_set>, [](auto part) { return part.readyReplicas(); }>(
        "kube_statefulset_status_replicas_ready", "[STABLE] The number of ready replicas per StatefulSet."),
    value_of<status_of<stateful_set>, [](auto part) { return part.updatedReplicas(); }>(
        "kube_statefulset_status_replicas_updated", "[STABLE] The number of updated replicas per StatefulSet."),
    value_of<status_of<stateful_set>, [](auto part) { return part.observedGeneration(); }>(
        "kube_statefulset_status_observed_generation",
        "[STABLE] The generation observed by the StatefulSet controller."),
    value_of<spec_of<stateful_set>, [](auto part) { return part.replicas(); }>(
        "kube_statefulset_replicas", "[STABLE] Number of desired pods for a StatefulSet."),
    series_of<spec_of<stateful_set>, first_ordinal>("kube_statefulset_ordinals_start",
                                                    "[STABLE] Start ordinal of the StatefulSet."),
    value_of<metadata_of<stateful_set>, [](auto part) { return part.generation(); }>(
        "kube_statefulset_metadata_generation",
        "[STABLE] Sequence number representing a specific generation of the desired state for the StatefulSet."),
    series_of<spec_of<stateful_set>, retention>("kube_statefulset_persistentvolumeclaim_retention_policy",
                                                "Count of retention policy for StatefulSet template PVCs"),
    family{"kube_statefulset_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    series_of<status_of<stateful_set>,
              [](auto status, series_sink& out) {
                  out.add({{"revision", status.currentRevision()}}, 1);
              }>(
        "kube_statefulset_status_current_revision",
        "[STABLE] Indicates the version of the StatefulSet used to generate Pods in the sequence [0,currentReplicas)."),
    series_of<status_of<stateful_set>,
              [](auto status, series_sink& out) {
                  out.add({{"revision", status.updateRevision()}}, 1);
              }>("kube_statefulset_status_update_revision",
                 "[STABLE] Indicates the version of the StatefulSet used to generate Pods in the sequence "
                 "[replicas-updatedReplicas,replicas)"),
};

constexpr std::array daemon_set_families{
    value_of<metadata_of<daemon_set>, [](auto part) { return part.creationTimestamp(); }>(
        "kube_daemonset_created", "[STABLE] Unix creation timestamp"),
    value_of<status_of<daemon_set>, [](auto part) { return part.currentNumberScheduled(); }>(
        "kube_daemonset_status_current_number_scheduled",
        "[STABLE] The number of nodes running at least one daemon pod and are supposed to."),
    value_of<status_of<daemon_set>, [](auto part) { return part.desiredNumberScheduled(); }>(
        "kube_daemonset_status_desired_number_scheduled",
        "[STABLE] The number of nodes that should be running the daemon pod."),
    value_of<status_of<daemon_set>, [](auto part) { return part.numberAvailable(); }>(
        "kube_daemonset_status_number_available",
        "[STABLE] The number of nodes that should be running the daemon pod and have one or more of the daemon pod "
        "running and available"),
    value_of<status_of<daemon_set>, [](auto part) { return part.numberMisscheduled(); }>(
        "kube_daemonset_status_number_misscheduled",
        "[STABLE] The number of nodes running a daemon pod but are not supposed to."),
    value_of<status_of<daemon_set>, [](auto part) { return part.numberReady(); }>(
        "kube_daemonset_status_number_ready",
        "[STABLE] The number of nodes that should be running the daemon pod and have one or more of the daemon pod "
        "running and ready."),
    value_of<status_of<daemon_set>, [](auto part) { return part.numberUnavailable(); }>(
        "kube_daemonset_status_number_unavailable",
        "[STABLE] The number of nodes that should be running the daemon pod and have none of the daemon pod running "
        "and available"),
    value_of<status_of<daemon_set>, [](auto part) { return part.observedGeneration(); }>(
        "kube_daemonset_status_observed_generation",
        "[STABLE] The most recent generation observed by the daemon set controller."),
    value_of<status_of<daemon_set>, [](auto part) { return part.updatedNumberScheduled(); }>(
        "kube_daemonset_status_updated_number_scheduled",
        "[STABLE] The total number of nodes that are running updated daemon pod"),
    value_of<metadata_of<daemon_set>, [](auto part) { return part.generation(); }>(
        "kube_daemonset_metadata_generation",
        "[STABLE] Sequence number representing a specific generation of the desired state."),
    family{"kube_daemonset_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
};

series_kind workload(std::string plural, std::string kind, std::string_view label, std::span<const family> families)
{
    series_kind out{{"apps", "v1", std::move(plural), std::move(kind)}, {.name = label}, families};
    out.keep = {"metadata.creationTimestamp", "metadata.generation", "spec.replicas"};
    return out;
}

void keep_also(series_kind& kind, std::initializer_list<const char*> paths)
{
    kind.keep.insert(kind.keep.end(), paths.begin(), paths.end());
}

} // namespace

series_kind deployments()
{
    auto out = workload("deployments", "Deployment", "deployment", deployment_families);
    keep_also(out, {"spec.paused", "spec.strategy.rollingUpdate", "status"});
    return out;
}

series_kind replica_sets()
{
    auto out = workload("replicasets", "ReplicaSet", "replicaset", replica_set_families);
    keep_also(out, {"metadata.ownerReferences", "status.replicas", "status.fullyLabeledReplicas",
                    "status.readyReplicas", "status.observedGeneration"});
    return out;
}

series_kind stateful_sets()
{
    auto out = workload("statefulsets", "StatefulSet", "statefulset", stateful_set_families);
    keep_also(out, {"spec.ordinals", "spec.persistentVolumeClaimRetentionPolicy", "status"});
    return out;
}

series_kind daemon_sets()
{
    auto out = workload("daemonsets", "DaemonSet", "daemonset", daemon_set_families);
    keep_also(out, {"status"});
    return out;
}

} // namespace kubecoro::cluster_metrics
