// Kubernetes' rules for roles and bindings (rbac.authorization.k8s.io/v1).
#pragma once

#include "objects/registry.hpp"

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <vector>

namespace kubecoro::apiserver {

/// Checks a Role or ClusterRole.
void validate_role(const resource_info& info, const boost::json::value& body, std::vector<status_cause>& causes);

/// Checks a RoleBinding or ClusterRoleBinding.
void validate_role_binding(const resource_info& info, const boost::json::value& body,
                           std::vector<status_cause>& causes);

/// The role of a binding is immutable: who may change its subjects need not have the rights of another role.
void validate_role_binding_update(const boost::json::value& before, const boost::json::value& after,
                                  std::vector<status_cause>& causes);

} // namespace kubecoro::apiserver
