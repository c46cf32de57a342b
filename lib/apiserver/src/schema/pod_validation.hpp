// Kubernetes' rules for pods and for the pod templates of workloads, as far as authors of clients meet them.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Checks the specification of a pod or of the pods of a template: containers, volumes, names, tolerations.
/// @param mounts  Whether the volumes that containers mount are all there.
void validate_pod_spec(const boost::json::value& spec, const std::string& path, bool mounts,
                       std::vector<status_cause>& causes);

void validate_pod(const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks a DaemonSet, Deployment, ReplicaSet or StatefulSet: its numbers, selector and template.
void validate_workload(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks a job, whose pods end, or the one that a CronJob makes. @param path  The path of its specification.
void validate_job(const boost::json::value& body, const std::string& path, std::vector<status_cause>& causes);

/// Checks `env` and `envFrom` of a container.
void validate_env(const boost::json::value& container, const std::string& path, std::vector<status_cause>& causes);
/// Checks `ports`.
void validate_ports(const boost::json::value& container, const std::string& path, std::vector<status_cause>& causes);
/// Checks `resources`: known names, whole numbers of devices, and requests within limits.
void validate_resources(const boost::json::value& container, const std::string& path,
                        std::vector<status_cause>& causes);

/// Checks the probes and the lifecycle of a container. @param is_short_lived  An init container that ends: it has none.
void validate_probes(const boost::json::value& container, bool is_short_lived, const std::string& path,
                     std::vector<status_cause>& causes);

/** Checks a schedule: five fields, or a descriptor such as "@daily".

    @return what is wrong, in the words of the parser that Kubernetes uses; empty if it is right. */
[[nodiscard]] std::string cron_schedule_problem(std::string_view schedule);

} // namespace kubecoro::apiserver
