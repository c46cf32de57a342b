#include "state/plain_kinds.hpp"

#include <kubecoro/api/detail/schema.hpp>

#include <algorithm>
#include <stdexcept>

namespace kubecoro::apiserver {
namespace {

/// A kind that is stored without rules of its own, such as defaults and validation of its content.
struct plain_kind
{
    std::string_view api_version;
    std::string_view kind;
    /// Empty: none.
    std::string_view short_name = {};
    generation_rule generation = generation_rule::none;
    builtin behaves = builtin::none;
};

constexpr plain_kind plain_kinds[]{
    {"v1", "Endpoints", "ep"},
    {"v1", "LimitRange", "limits"},
    {"v1", "PersistentVolume", "pv"},
    {"v1", "PersistentVolumeClaim", "pvc"},
    {"v1", "PodTemplate", {}, generation_rule::all_but_metadata},
    {"v1", "ReplicationController", "rc", generation_rule::spec},
    {"v1", "ResourceQuota", "quota"},
    {"apps/v1", "ControllerRevision"},
    {"authentication.k8s.io/v1", "SelfSubjectReview", {}, generation_rule::none, builtin::review},
    {"authentication.k8s.io/v1", "TokenReview", {}, generation_rule::none, builtin::review},
    {"authorization.k8s.io/v1", "LocalSubjectAccessReview", {}, generation_rule::none, builtin::review},
    {"authorization.k8s.io/v1", "SelfSubjectAccessReview", {}, generation_rule::none, builtin::review},
    {"authorization.k8s.io/v1", "SelfSubjectRulesReview", {}, generation_rule::none, builtin::review},
    {"authorization.k8s.io/v1", "SubjectAccessReview", {}, generation_rule::none, builtin::review},
    {"autoscaling/v2", "HorizontalPodAutoscaler", "hpa"},
    {"discovery.k8s.io/v1", "EndpointSlice", {}, generation_rule::all_but_metadata},
    {"networking.k8s.io/v1", "Ingress", "ing", generation_rule::spec},
    {"networking.k8s.io/v1", "IngressClass", {}, generation_rule::spec},
    {"networking.k8s.io/v1", "NetworkPolicy", "netpol", generation_rule::spec},
    {"node.k8s.io/v1", "RuntimeClass"},
    {"policy/v1", "PodDisruptionBudget", "pdb", generation_rule::spec},
    {"rbac.authorization.k8s.io/v1", "ClusterRole"},
    {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding"},
    {"rbac.authorization.k8s.io/v1", "Role"},
    {"rbac.authorization.k8s.io/v1", "RoleBinding"},
    {"scheduling.k8s.io/v1", "PriorityClass", "pc", generation_rule::all_but_metadata},
    {"storage.k8s.io/v1", "StorageClass", "sc"},
};

resource_info plain(const plain_kind& from)
{
    namespace schemas = detail::builtin_schemas;
    const auto* schema = schemas::find(from.api_version, from.kind);
    if (!schema) throw std::logic_error("a kind without a schema is listed");
    std::vector<std::string> members;
    for (const auto& field : schemas::fields(schema->message))
        if (const auto name = schemas::text(field.name); name != "metadata") members.emplace_back(name);
    std::vector<std::string> short_names;
    if (!from.short_name.empty()) short_names.emplace_back(from.short_name);
    resource_info r;
    r.plural = schemas::text(schema->resource);
    r.kind = from.kind;
    r.list_kind = r.kind + "List";
    for (const char c : r.kind) r.singular += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    r.short_names = std::move(short_names);
    r.members = std::move(members);
    r.versions.push_back({"v1"});
    const auto slash = from.api_version.find('/');
    if (slash != std::string_view::npos) {
        r.group = from.api_version.substr(0, slash);
        r.storage_version = from.api_version.substr(slash + 1);
        r.versions.front().name = r.storage_version;
    }
    r.namespaced = schema->namespaced;
    r.generation = from.generation;
    r.behaves = from.behaves;
    r.has_status =
        from.behaves == builtin::none && std::find(r.members.begin(), r.members.end(), "status") != r.members.end();
    return r;
}

} // namespace

std::vector<resource_info> plain_resources()
{
    std::vector<resource_info> all;
    for (const auto& kind : plain_kinds) all.push_back(plain(kind));
    return all;
}

} // namespace kubecoro::apiserver
