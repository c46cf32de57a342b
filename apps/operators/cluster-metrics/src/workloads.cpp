// Deployments, ReplicaSets, StatefulSets, DaemonSets.
#include "writers.hpp"

#include <kubecoro/api/int_or_string.hpp>

#include <array>
#include <limits>

namespace kubecoro::cluster_metrics {
namespace {

constexpr std::string_view created = "metadata.creationTimestamp";
constexpr std::string_view generation = "metadata.generation";

/// A share of the replicas, which the server has checked to be a number or a percentage.
void share(const subject& s, rounding how, series_sink& out)
{
    const auto at = s.field;
    int_or_string share;
    if (at.is_string())
        share = int_or_string(at.as_string());
    else if (at.kind() == value_kind::integer && at.as_int64() <= std::numeric_limits<std::int32_t>::max())
        share = static_cast<std::int32_t>(at.as_int64());
    else
        return;
    const auto replicas = s.o["spec"]["replicas"].as_int64(1);
    if (const auto scaled = share.scaled(replicas, how)) out.add(static_cast<double>(*scaled));
}

void unavailable_share(const subject& s, series_sink& out) { share(s, rounding::down, out); }
void surge_share(const subject& s, series_sink& out) { share(s, rounding::up, out); }

void revision(const subject& s, series_sink& out) { out.add({{"revision", s.field.as_string()}}, 1); }

void retention(const subject& s, series_sink& out)
{
    const auto deleted = s.field["whenDeleted"].as_string();
    const auto scaled = s.field["whenScaled"].as_string();
    if (!deleted.empty() || !scaled.empty()) out.add({{"when_deleted", deleted}, {"when_scaled", scaled}}, 1);
}

/// Numbers that are not written are zero, as in Go: `ordinals: {}` starts at 0.
void first_ordinal(const subject& s, series_sink& out)
{
    if (s.field.is_object()) out.add(s.field["start"].as_double());
}

constexpr std::array deployment_families{
    family{"kube_deployment_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_deployment_status_replicas", "[STABLE] The number of replicas per deployment.", number,
           "status.replicas"},
    family{"kube_deployment_status_replicas_ready", "[STABLE] The number of ready replicas per deployment.", number,
           "status.readyReplicas"},
    family{"kube_deployment_status_replicas_available", "[STABLE] The number of available replicas per deployment.",
           number, "status.availableReplicas"},
    family{"kube_deployment_status_replicas_unavailable", "[STABLE] The number of unavailable replicas per deployment.",
           number, "status.unavailableReplicas"},
    family{"kube_deployment_status_replicas_updated", "[STABLE] The number of updated replicas per deployment.", number,
           "status.updatedReplicas"},
    family{"kube_deployment_status_observed_generation",
           "[STABLE] The generation observed by the deployment controller.", number, "status.observedGeneration"},
    family{"kube_deployment_status_condition", "[STABLE] The current status conditions of a deployment.", conditions,
           "status.conditions"},
    family{"kube_deployment_spec_replicas", "[STABLE] Number of desired pods for a deployment.", number_if_present,
           "spec.replicas"},
    family{"kube_deployment_spec_paused",
           "[STABLE] Whether the deployment is paused and will not be processed by the deployment controller.", flag,
           "spec.paused"},
    family{"kube_deployment_spec_strategy_rollingupdate_max_unavailable",
           "[STABLE] Maximum number of unavailable replicas during a rolling update of a deployment.",
           unavailable_share, "spec.strategy.rollingUpdate.maxUnavailable"},
    family{"kube_deployment_spec_strategy_rollingupdate_max_surge",
           "[STABLE] Maximum number of replicas that can be scheduled above the desired number of replicas during a "
           "rolling update of a deployment.",
           surge_share, "spec.strategy.rollingUpdate.maxSurge"},
    family{"kube_deployment_metadata_generation",
           "[STABLE] Sequence number representing a specific generation of the desired state.", number, generation},
    family{"kube_deployment_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
};

constexpr std::array replica_set_families{
    family{"kube_replicaset_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_replicaset_status_replicas", "[STABLE] The number of replicas per ReplicaSet.", number,
           "status.replicas"},
    family{"kube_replicaset_status_fully_labeled_replicas",
           "[STABLE] The number of fully labeled replicas per ReplicaSet.", number, "status.fullyLabeledReplicas"},
    family{"kube_replicaset_status_ready_replicas", "[STABLE] The number of ready replicas per ReplicaSet.", number,
           "status.readyReplicas"},
    family{"kube_replicaset_status_observed_generation",
           "[STABLE] The generation observed by the ReplicaSet controller.", number, "status.observedGeneration"},
    family{"kube_replicaset_spec_replicas", "[STABLE] Number of desired pods for a ReplicaSet.", number_if_present,
           "spec.replicas"},
    family{"kube_replicaset_metadata_generation",
           "[STABLE] Sequence number representing a specific generation of the desired state.", number, generation},
    family{"kube_replicaset_owner", "[STABLE] Information about the ReplicaSet's owner.", owners},
    family{"kube_replicaset_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
};

constexpr std::array stateful_set_families{
    family{"kube_statefulset_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_statefulset_status_replicas", "[STABLE] The number of replicas per StatefulSet.", number,
           "status.replicas"},
    family{"kube_statefulset_status_replicas_available", "The number of available replicas per StatefulSet.", number,
           "status.availableReplicas"},
    family{"kube_statefulset_status_replicas_current", "[STABLE] The number of current replicas per StatefulSet.",
           number, "status.currentReplicas"},
    family{"kube_statefulset_status_replicas_ready", "[STABLE] The number of ready replicas per StatefulSet.", number,
           "status.readyReplicas"},
    family{"kube_statefulset_status_replicas_updated", "[STABLE] The number of updated replicas per StatefulSet.",
           number, "status.updatedReplicas"},
    family{"kube_statefulset_status_observed_generation",
           "[STABLE] The generation observed by the StatefulSet controller.", number, "status.observedGeneration"},
    family{"kube_statefulset_replicas", "[STABLE] Number of desired pods for a StatefulSet.", number_if_present,
           "spec.replicas"},
    family{"kube_statefulset_ordinals_start", "[STABLE] Start ordinal of the StatefulSet.", first_ordinal,
           "spec.ordinals"},
    family{"kube_statefulset_metadata_generation",
           "[STABLE] Sequence number representing a specific generation of the desired state for the StatefulSet.",
           number, generation},
    family{"kube_statefulset_persistentvolumeclaim_retention_policy",
           "Count of retention policy for StatefulSet template PVCs", retention,
           "spec.persistentVolumeClaimRetentionPolicy"},
    family{"kube_statefulset_labels", "[STABLE] Kubernetes labels converted to Prometheus labels.", shown_labels},
    family{
        "kube_statefulset_status_current_revision",
        "[STABLE] Indicates the version of the StatefulSet used to generate Pods in the sequence [0,currentReplicas).",
        revision, "status.currentRevision"},
    family{"kube_statefulset_status_update_revision",
           "[STABLE] Indicates the version of the StatefulSet used to generate Pods in the sequence "
           "[replicas-updatedReplicas,replicas)",
           revision, "status.updateRevision"},
};

constexpr std::array daemon_set_families{
    family{"kube_daemonset_created", "[STABLE] Unix creation timestamp", time_if_present, created},
    family{"kube_daemonset_status_current_number_scheduled",
           "[STABLE] The number of nodes running at least one daemon pod and are supposed to.", number,
           "status.currentNumberScheduled"},
    family{"kube_daemonset_status_desired_number_scheduled",
           "[STABLE] The number of nodes that should be running the daemon pod.", number,
           "status.desiredNumberScheduled"},
    family{"kube_daemonset_status_number_available",
           "[STABLE] The number of nodes that should be running the daemon pod and have one or more of the daemon pod "
           "running and available",
           number, "status.numberAvailable"},
    family{"kube_daemonset_status_number_misscheduled",
           "[STABLE] The number of nodes running a daemon pod but are not supposed to.", number,
           "status.numberMisscheduled"},
    family{"kube_daemonset_status_number_ready",
           "[STABLE] The number of nodes that should be running the daemon pod and have one or more of the daemon pod "
           "running and ready.",
           number, "status.numberReady"},
    family{"kube_daemonset_status_number_unavailable",
           "[STABLE] The number of nodes that should be running the daemon pod and have none of the daemon pod running "
           "and available",
           number, "status.numberUnavailable"},
    family{"kube_daemonset_status_observed_generation",
           "[STABLE] The most recent generation observed by the daemon set controller.", number,
           "status.observedGeneration"},
    family{"kube_daemonset_status_updated_number_scheduled",
           "[STABLE] The total number of nodes that are running updated daemon pod", number,
           "status.updatedNumberScheduled"},
    family{"kube_daemonset_metadata_generation",
           "[STABLE] Sequence number representing a specific generation of the desired state.", number, generation},
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
