#pragma once

#include <kubecoro/api/resource.hpp>

#define KUBECORO_KIND(type, group, version, plural, kind, namespaced)                                                  \
    struct type                                                                                                        \
    {                                                                                                                  \
        [[nodiscard]] static resource_type resource() { return {group, version, plural, kind, namespaced}; }           \
    }

/** Names of common kinds for untyped use: `informers.get<untyped::pod>()` is an informer of `object`.

    Each has the resource's identity and nothing else, and compiles at once. Programs that read or write fields use the types
    of the kinds: `core_v1::pod` of `kubecoro/core_v1/pod.hpp`. A program names its own kinds in the same way. */
namespace kubecoro::untyped {
KUBECORO_KIND(pod, "", "v1", "pods", "Pod", true);
KUBECORO_KIND(config_map, "", "v1", "configmaps", "ConfigMap", true);
KUBECORO_KIND(secret, "", "v1", "secrets", "Secret", true);
KUBECORO_KIND(service, "", "v1", "services", "Service", true);
KUBECORO_KIND(service_account, "", "v1", "serviceaccounts", "ServiceAccount", true);
KUBECORO_KIND(event, "", "v1", "events", "Event", true);
KUBECORO_KIND(node, "", "v1", "nodes", "Node", false);
KUBECORO_KIND(namespace_, "", "v1", "namespaces", "Namespace", false);
KUBECORO_KIND(deployment, "apps", "v1", "deployments", "Deployment", true);
KUBECORO_KIND(replica_set, "apps", "v1", "replicasets", "ReplicaSet", true);
KUBECORO_KIND(stateful_set, "apps", "v1", "statefulsets", "StatefulSet", true);
KUBECORO_KIND(daemon_set, "apps", "v1", "daemonsets", "DaemonSet", true);
KUBECORO_KIND(job, "batch", "v1", "jobs", "Job", true);
KUBECORO_KIND(cron_job, "batch", "v1", "cronjobs", "CronJob", true);
KUBECORO_KIND(lease, "coordination.k8s.io", "v1", "leases", "Lease", true);
KUBECORO_KIND(custom_resource_definition, "apiextensions.k8s.io", "v1", "customresourcedefinitions",
              "CustomResourceDefinition", false);
} // namespace kubecoro::untyped

#undef KUBECORO_KIND
