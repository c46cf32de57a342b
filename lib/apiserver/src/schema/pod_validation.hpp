// Kubernetes' rules for pods and for the pod templates of workloads, as far as authors of clients meet them.
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <string>
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

} // namespace kubecoro::apiserver
