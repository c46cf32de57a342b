#pragma once

#include <kubecoro/api/resource.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// A permission that a program needs, in the terms of an RBAC rule. A regular value.
struct access_right
{
    /// The API group; empty for the core group.
    std::string group = {};
    /// The plural, with a subresource "deployments/status".
    std::string resource = {};
    /// get, list, watch, create, update, patch, delete, deletecollection.
    std::vector<std::string> verbs = {};
    /// Empty = all namespaces, or a resource without namespaces.
    std::string ns = {};
    /// The one object that it is about; empty = all.
    std::string name = {};
    friend bool operator==(const access_right&, const access_right&) = default;
};

/// A right to a kind. @param subresource  Such as "status"; empty = the objects themselves.
[[nodiscard]] access_right right_to(const resource_type& resource, std::vector<std::string> verbs,
                                    std::string_view subresource = {});

/// The same rights, sorted, each resource once in each namespace: what all namespaces allow is not repeated for one.
[[nodiscard]] std::vector<access_right> merged(std::vector<access_right> rights);

/// "list secrets in the namespace web", for messages.
[[nodiscard]] std::string describe(const access_right& right);

/// Options of rbac_manifest().
struct rbac_options
{
    /// Name of all objects. Required.
    std::string name = {};
    /// Namespace of the service account. Required.
    std::string ns = {};
};

/** The YAML of a ServiceAccount that has these rights and no others: a ClusterRole with its binding for those in all
    namespaces, and a Role with its binding in each namespace that is named. */
[[nodiscard]] std::string rbac_manifest(const std::vector<access_right>& rights, const rbac_options& options);

} // namespace kubecoro
