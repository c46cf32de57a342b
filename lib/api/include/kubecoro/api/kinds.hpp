#pragma once

#include <kubecoro/api/resource.hpp>

/** Tags for the built-in kinds, so that `informers.get<core::v1::pod>()` needs no strings.

    Each tag holds the resource's identity; users write tags for custom kinds the same way. */
#define KUBECORO_KIND(type, group, version, plural, kind, namespaced)                                                  \
    struct type                                                                                                        \
    {                                                                                                                  \
        [[nodiscard]] static resource_type resource() { return {group, version, plural, kind, namespaced}; }           \
    }

namespace kubecoro::core::v1 {
KUBECORO_KIND(pod, "", "v1", "pods", "Pod", true);
KUBECORO_KIND(config_map, "", "v1", "configmaps", "ConfigMap", true);
KUBECORO_KIND(secret, "", "v1", "secrets", "Secret", true);
KUBECORO_KIND(service, "", "v1", "services", "Service", true);
KUBECORO_KIND(service_account, "", "v1", "serviceaccounts", "ServiceAccount", true);
KUBECORO_KIND(event, "", "v1", "events", "Event", true);
KUBECORO_KIND(node, "", "v1", "nodes", "Node", false);
KUBECORO_KIND(namespace_, "", "v1", "namespaces", "Namespace", false);
} // namespace kubecoro::core::v1

namespace kubecoro::apps::v1 {
KUBECORO_KIND(deployment, "apps", "v1", "deployments", "Deployment", true);
KUBECORO_KIND(replica_set, "apps", "v1", "replicasets", "ReplicaSet", true);
KUBECORO_KIND(stateful_set, "apps", "v1", "statefulsets", "StatefulSet", true);
KUBECORO_KIND(daemon_set, "apps", "v1", "daemonsets", "DaemonSet", true);
} // namespace kubecoro::apps::v1

namespace kubecoro::batch::v1 {
KUBECORO_KIND(job, "batch", "v1", "jobs", "Job", true);
KUBECORO_KIND(cron_job, "batch", "v1", "cronjobs", "CronJob", true);
} // namespace kubecoro::batch::v1

namespace kubecoro::coordination::v1 {
KUBECORO_KIND(lease, "coordination.k8s.io", "v1", "leases", "Lease", true);
} // namespace kubecoro::coordination::v1

namespace kubecoro::apiextensions::v1 {
KUBECORO_KIND(custom_resource_definition, "apiextensions.k8s.io", "v1", "customresourcedefinitions",
              "CustomResourceDefinition", false);
} // namespace kubecoro::apiextensions::v1

#undef KUBECORO_KIND
