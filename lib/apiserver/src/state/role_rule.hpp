// One rule of a Role or ClusterRole.
#pragma once

#include <kubecoro/apiserver/access.hpp>

#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// A PolicyRule of a Role or ClusterRole.
struct role_rule
{
    std::vector<std::string> verbs;
    std::vector<std::string> groups;
    /// "pods", "pods/status", "*/scale" or "*".
    std::vector<std::string> resources;
    /// Names of objects; empty = all, also those without a name yet.
    std::vector<std::string> names;
    /// Paths; one with "*" at its end has all that begin so.
    std::vector<std::string> paths;

    [[nodiscard]] bool allows(const access_request& asked) const;
};

} // namespace kubecoro::apiserver
