// Kubernetes' rules for pods and for the pod templates of workloads, as far as authors of clients meet them.
#pragma once

#include "state/registry.hpp"

#include <kubecoro/base/status.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

/// Checks the containers of a pod: names, images, and that the volumes that they mount exist.
void validate_pod(const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks a DaemonSet, Deployment, ReplicaSet or StatefulSet: its replicas, selector and template.
void validate_workload(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks the template of a job, whose pods end.
void validate_job(const boost::json::value& body, std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
