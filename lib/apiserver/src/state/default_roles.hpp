// ClusterRoles that a cluster begins with and that manifests of operators bind.
#pragma once

#include "state/role_rule.hpp"

#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// A ClusterRole that grants what it does in a cluster, although it is not stored.
struct default_role
{
    std::vector<role_rule> rules;
    /// Its rules include those of the stored ClusterRoles that have one of these labels, with the value "true".
    std::vector<std::string_view> aggregates = {};
};

/// @return null for all other names.
[[nodiscard]] const default_role* find_default_role(std::string_view name);

} // namespace kubecoro::apiserver
