#include "objects/registry.hpp"

#include <kubecoro/api/detail/schema.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace kubecoro::apiserver {
namespace {

/// A kind that is stored without rules of its own, such as defaults and validation of its content.
struct plain_kind
{
    std::string_view api_version;
    std::string_view kind;
    generation_rule generation = generation_rule::none;
    /// Empty: none.
    std::string_view short_name = {};
    std::string_view category = {};
    /// As resource_info::orphans_dependents.
    bool orphans_dependents = false;
};

constexpr auto no_generation = generation_rule::none;
constexpr auto of_spec = generation_rule::spec;
constexpr auto of_content = generation_rule::all_but_metadata;

/// The stable versions that a kube-apiserver serves, without those that registry.cpp describes.
constexpr plain_kind plain_kinds[]{
    {"v1", "Endpoints", no_generation, "ep"},
    {"v1", "LimitRange", no_generation, "limits"},
    {"v1", "PersistentVolume", no_generation, "pv"},
    {"v1", "PersistentVolumeClaim", no_generation, "pvc"},
    {"v1", "PodTemplate", of_content},
    {"v1", "ReplicationController", of_spec, "rc", "all", true},
    {"v1", "ResourceQuota", no_generation, "quota"},
    {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", of_spec, {}, "api-extensions"},
    {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", of_spec, {}, "api-extensions"},
    {"admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", of_content, {}, "api-extensions"},
    {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", of_spec, {}, "api-extensions"},
    {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", of_spec, {}, "api-extensions"},
    {"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", of_content, {}, "api-extensions"},
    {"apiregistration.k8s.io/v1", "APIService", no_generation, {}, "api-extensions"},
    {"apps/v1", "ControllerRevision"},
    {"autoscaling/v2", "HorizontalPodAutoscaler", no_generation, "hpa", "all"},
    {"certificates.k8s.io/v1", "CertificateSigningRequest", no_generation, "csr"},
    {"certificates.k8s.io/v1", "ClusterTrustBundle"},
    {"certificates.k8s.io/v1", "PodCertificateRequest", of_spec},
    {"discovery.k8s.io/v1", "EndpointSlice", of_content},
    {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema", of_spec},
    {"flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", of_spec},
    {"networking.k8s.io/v1", "IPAddress", no_generation, "ip"},
    {"networking.k8s.io/v1", "Ingress", of_spec, "ing"},
    {"networking.k8s.io/v1", "IngressClass", of_spec},
    {"networking.k8s.io/v1", "NetworkPolicy", of_spec, "netpol"},
    {"networking.k8s.io/v1", "ServiceCIDR"},
    {"node.k8s.io/v1", "RuntimeClass"},
    {"policy/v1", "PodDisruptionBudget", of_spec, "pdb"},
    {"rbac.authorization.k8s.io/v1", "ClusterRole"},
    {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding"},
    {"rbac.authorization.k8s.io/v1", "Role"},
    {"rbac.authorization.k8s.io/v1", "RoleBinding"},
    {"resource.k8s.io/v1", "DeviceClass", of_spec},
    {"resource.k8s.io/v1", "DeviceTaintRule", of_spec},
    {"resource.k8s.io/v1", "ResourceClaim"},
    {"resource.k8s.io/v1", "ResourceClaimTemplate"},
    {"resource.k8s.io/v1", "ResourceSlice", of_spec},
    {"scheduling.k8s.io/v1", "PriorityClass", of_content, "pc"},
    {"storage.k8s.io/v1", "CSIDriver", of_spec},
    {"storage.k8s.io/v1", "CSINode"},
    {"storage.k8s.io/v1", "CSIStorageCapacity"},
    {"storage.k8s.io/v1", "StorageClass", no_generation, "sc"},
    {"storage.k8s.io/v1", "VolumeAttachment"},
    {"storage.k8s.io/v1", "VolumeAttributesClass", no_generation, "vac"},
    {"storagemigration.k8s.io/v1", "StorageVersionMigration"},
};

/// The kinds whose names need not be subdomains.
constexpr std::pair<std::string_view, name_rule> name_rules[]{
    {"APIService", name_rule::api_service},
    {"CertificateSigningRequest", name_rule::path_segment},
    {"ClusterRole", name_rule::path_segment},
    {"ClusterRoleBinding", name_rule::path_segment},
    {"ClusterTrustBundle", name_rule::trust_bundle},
    {"IPAddress", name_rule::ip_address},
    {"Role", name_rule::path_segment},
    {"RoleBinding", name_rule::path_segment},
};

/// The kinds that are not stored without rules after all.
constexpr std::pair<std::string_view, builtin> behaviours[]{
    {"ClusterRole", builtin::role},
    {"ClusterRoleBinding", builtin::role_binding},
    {"HorizontalPodAutoscaler", builtin::autoscaler},
    {"LimitRange", builtin::limit},
    {"PersistentVolumeClaim", builtin::persistent_volume_claim},
    {"PodDisruptionBudget", builtin::disruption_budget},
    {"PriorityClass", builtin::priority_class},
    {"ResourceQuota", builtin::limit},
    {"Role", builtin::role},
    {"RoleBinding", builtin::role_binding},
};

/// Fields that selectors may name, by kind.
constexpr std::pair<std::string_view, std::string_view> selectable_fields[]{
    {"CertificateSigningRequest", "spec.signerName"},
    {"ClusterTrustBundle", "spec.signerName"},
    {"PodCertificateRequest", "spec.signerName"},
    {"PodCertificateRequest", "spec.podName"},
    {"PodCertificateRequest", "spec.nodeName"},
    {"ReplicationController", "status.replicas"},
    {"ResourceSlice", "spec.nodeName"},
    {"ResourceSlice", "spec.driver"},
};

/// Fields that an update may not change, by kind.
constexpr std::pair<std::string_view, immutable_field> immutable_fields[]{
    {"ClusterTrustBundle", {"spec.signerName"}},
    {"ControllerRevision", {"data"}},
    {"CSIStorageCapacity", {"nodeTopology"}},
    {"CSIStorageCapacity", {"storageClassName"}},
    {"EndpointSlice", {"addressType"}},
    {"IngressClass", {"spec.controller"}},
    {"PriorityClass", {"value", "may not be changed in an update."}},
    {"PriorityClass", {"preemptionPolicy", {}, "PreemptLowerPriority"}},
    {"ResourceClaim", {"spec"}},
    {"ResourceClaimTemplate", {"spec"}},
    {"ResourceQuota", {"spec.scopes"}},
    {"RuntimeClass", {"handler"}},
    {"StorageClass", {"parameters"}},
    {"StorageClass", {"provisioner"}},
    {"StorageClass", {"reclaimPolicy", {}, "Delete"}},
    {"StorageClass", {"volumeBindingMode", {}, "Immediate"}},
    {"VolumeAttachment", {"spec"}},
    {"VolumeAttributesClass", {"driverName", "updates to driverName are forbidden."}},
    {"VolumeAttributesClass", {"parameters", "updates to parameters are forbidden."}},
};

/// The kinds whose status subresource leaves all metadata alone.
constexpr std::string_view kinds_with_plain_status[]{
    "APIService",
    "DeviceTaintRule",
    "FlowSchema",
    "PodCertificateRequest",
    "PriorityLevelConfiguration",
    "ResourceClaim",
    "ServiceCIDR",
    "StorageVersionMigration",
    "ValidatingAdmissionPolicy",
    "VolumeAttachment",
};

constexpr plain_kind review_kinds[]{
    {"authentication.k8s.io/v1", "SelfSubjectReview"},       {"authentication.k8s.io/v1", "TokenReview"},
    {"authorization.k8s.io/v1", "LocalSubjectAccessReview"}, {"authorization.k8s.io/v1", "SelfSubjectAccessReview"},
    {"authorization.k8s.io/v1", "SelfSubjectRulesReview"},   {"authorization.k8s.io/v1", "SubjectAccessReview"},
};

resource_info plain(const plain_kind& from)
{
    namespace schemas = detail::builtin_schemas;
    const auto* schema = schemas::find(from.api_version, from.kind);
    if (!schema) throw std::logic_error("a kind without a schema is listed");
    std::vector<std::string> members;
    for (const auto& field : schemas::fields(schema->message))
        if (const auto name = schemas::text(field.name); name != "metadata") members.emplace_back(name);
    resource_info r;
    r.plural = schemas::text(schema->resource);
    r.kind = from.kind;
    r.list_kind = r.kind + "List";
    for (const char c : r.kind) r.singular += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (!from.short_name.empty()) r.short_names.emplace_back(from.short_name);
    if (!from.category.empty()) r.categories.emplace_back(from.category);
    r.members = std::move(members);
    r.versions.push_back({"v1"});
    const auto slash = from.api_version.find('/');
    if (slash != std::string_view::npos) {
        r.group = from.api_version.substr(0, slash);
        r.storage_version = from.api_version.substr(slash + 1);
        r.versions.front().name = r.storage_version;
    }
    r.namespaced = schema->namespaced;
    for (const auto& [kind, rule] : name_rules)
        if (kind == from.kind) r.names = rule;
    for (const auto& [kind, behaviour] : behaviours)
        if (kind == from.kind) r.behaves = behaviour;
    for (const auto& [kind, path] : selectable_fields)
        if (kind == from.kind) r.selectable.emplace_back(path);
    for (const auto& [kind, field] : immutable_fields)
        if (kind == from.kind) r.immutable.push_back(field);
    r.status_sets_metadata = std::find(std::begin(kinds_with_plain_status), std::end(kinds_with_plain_status),
                                       from.kind) == std::end(kinds_with_plain_status);
    r.generation = from.generation;
    r.orphans_dependents = from.orphans_dependents;
    r.has_status = std::find(r.members.begin(), r.members.end(), "status") != r.members.end();
    return r;
}

} // namespace

std::vector<resource_info> plain_resources()
{
    std::vector<resource_info> all;
    for (const auto& kind : plain_kinds) all.push_back(plain(kind));
    for (const auto& kind : review_kinds) {
        all.push_back(plain(kind));
        all.back().behaves = builtin::review;
        all.back().has_status = false;
    }
    return all;
}

} // namespace kubecoro::apiserver
