#include "schema/default_rules.hpp"

#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <span>

namespace kubecoro::apiserver {
namespace {

/// Whether a zero or an empty text that is stated stays.
enum class zero
{
    stays,
    /// Go does not tell it from an absent one.
    is_absent
};

struct rule
{
    std::string_view member;
    /// JSON.
    std::string_view value;
    zero given = zero::stays;
};

/// Where members are filled in. "a.b[].c": c of each item of b. Nothing happens where it is absent.
struct place
{
    std::string_view path;
    std::span<const rule> rules;
};

struct place_of_kind
{
    std::string_view kind;
    place at;
};

constexpr rule https_port[]{{"port", "443"}};
constexpr rule any_scope[]{{"scope", R"("*")"}};
constexpr rule stated_protocol[]{{"protocol", R"("TCP")"}};
constexpr rule protocol[]{{"protocol", R"("TCP")", zero::is_absent}};
constexpr rule failure_policy[]{{"failurePolicy", R"("Fail")"}};
constexpr rule matching[]{{"matchPolicy", R"("Equivalent")"}, {"namespaceSelector", "{}"}, {"objectSelector", "{}"}};
constexpr rule webhook[]{{"timeoutSeconds", "10"}};
constexpr rule reinvocation[]{{"reinvocationPolicy", R"("Never")"}};
constexpr rule slice_port[]{{"name", R"("")"}};
constexpr rule precedence[]{{"matchingPrecedence", "1000", zero::is_absent}};
constexpr rule cluster_scope[]{{"scope", R"("Cluster")"}};
constexpr rule one_replica[]{{"replicas", "1"}};
constexpr rule driver[]{
    {"attachRequired", "true"},
    {"podInfoOnMount", "false"},
    {"storageCapacity", "false"},
    {"fsGroupPolicy", R"("ReadWriteOnceWithFSType")"},
    {"requiresRepublish", "false"},
    {"seLinuxMount", "false"},
    {"volumeLifecycleModes", R"(["Persistent"])"},
};
constexpr rule storage_class[]{{"reclaimPolicy", R"("Delete")"}, {"volumeBindingMode", R"("Immediate")"}};
constexpr rule volume_mode[]{{"volumeMode", R"("Filesystem")"}};
constexpr rule reclaim_policy[]{{"persistentVolumeReclaimPolicy", R"("Retain")", zero::is_absent}};
constexpr rule pending[]{{"phase", R"("Pending")", zero::is_absent}};
constexpr rule host_path[]{{"type", R"("")"}};
constexpr rule exempt[]{{"nominalConcurrencyShares", "0"}, {"lendablePercent", "0"}};
constexpr rule limited[]{{"nominalConcurrencyShares", "30"}, {"lendablePercent", "0"}};
constexpr rule queuing[]{
    {"handSize", "8", zero::is_absent},
    {"queues", "64", zero::is_absent},
    {"queueLengthLimit", "50", zero::is_absent},
};
constexpr rule device_count[]{{"allocationMode", R"("ExactCount")", zero::is_absent}};

constexpr place_of_kind places[]{
    {"APIService", {"spec.service", https_port}},
    {"CSIDriver", {"spec", driver}},
    {"Endpoints", {"subsets[].ports[]", protocol}},
    {"EndpointSlice", {"ports[]", slice_port}},
    {"EndpointSlice", {"ports[]", stated_protocol}},
    {"FlowSchema", {"spec", precedence}},
    {"IngressClass", {"spec.parameters", cluster_scope}},
    {"MutatingAdmissionPolicy", {"spec", failure_policy}},
    {"MutatingAdmissionPolicy", {"spec.matchConstraints", matching}},
    {"MutatingAdmissionPolicy", {"spec.matchConstraints.resourceRules[]", any_scope}},
    {"MutatingAdmissionPolicy", {"spec.matchConstraints.excludeResourceRules[]", any_scope}},
    {"MutatingAdmissionPolicyBinding", {"spec.matchResources", matching}},
    {"MutatingAdmissionPolicyBinding", {"spec.matchResources.resourceRules[]", any_scope}},
    {"MutatingAdmissionPolicyBinding", {"spec.matchResources.excludeResourceRules[]", any_scope}},
    {"MutatingWebhookConfiguration", {"webhooks[]", failure_policy}},
    {"MutatingWebhookConfiguration", {"webhooks[]", matching}},
    {"MutatingWebhookConfiguration", {"webhooks[]", reinvocation}},
    {"MutatingWebhookConfiguration", {"webhooks[]", webhook}},
    {"MutatingWebhookConfiguration", {"webhooks[].rules[]", any_scope}},
    {"MutatingWebhookConfiguration", {"webhooks[].clientConfig.service", https_port}},
    {"NetworkPolicy", {"spec.ingress[].ports[]", stated_protocol}},
    {"NetworkPolicy", {"spec.egress[].ports[]", stated_protocol}},
    {"PersistentVolume", {"spec", reclaim_policy}},
    {"PersistentVolume", {"spec", volume_mode}},
    {"PersistentVolume", {"spec.hostPath", host_path}},
    {"PersistentVolume", {"status", pending}},
    {"PersistentVolumeClaim", {"spec", volume_mode}},
    {"PersistentVolumeClaim", {"status", pending}},
    {"PriorityLevelConfiguration", {"spec.exempt", exempt}},
    {"PriorityLevelConfiguration", {"spec.limited", limited}},
    {"PriorityLevelConfiguration", {"spec.limited.limitResponse.queuing", queuing}},
    {"ReplicationController", {"spec", one_replica}},
    {"ResourceClaim", {"spec.devices.requests[].exactly", device_count}},
    {"ResourceClaim", {"spec.devices.requests[].firstAvailable[]", device_count}},
    {"ResourceClaimTemplate", {"spec.spec.devices.requests[].exactly", device_count}},
    {"ResourceClaimTemplate", {"spec.spec.devices.requests[].firstAvailable[]", device_count}},
    {"StatefulSet", {"spec.volumeClaimTemplates[].spec", volume_mode}},
    {"StatefulSet", {"spec.volumeClaimTemplates[].status", pending}},
    {"StorageClass", {"", storage_class}},
    {"ValidatingAdmissionPolicy", {"spec", failure_policy}},
    {"ValidatingAdmissionPolicy", {"spec.matchConstraints", matching}},
    {"ValidatingAdmissionPolicy", {"spec.matchConstraints.resourceRules[]", any_scope}},
    {"ValidatingAdmissionPolicy", {"spec.matchConstraints.excludeResourceRules[]", any_scope}},
    {"ValidatingAdmissionPolicyBinding", {"spec.matchResources", matching}},
    {"ValidatingAdmissionPolicyBinding", {"spec.matchResources.resourceRules[]", any_scope}},
    {"ValidatingAdmissionPolicyBinding", {"spec.matchResources.excludeResourceRules[]", any_scope}},
    {"ValidatingWebhookConfiguration", {"webhooks[]", failure_policy}},
    {"ValidatingWebhookConfiguration", {"webhooks[]", matching}},
    {"ValidatingWebhookConfiguration", {"webhooks[]", webhook}},
    {"ValidatingWebhookConfiguration", {"webhooks[].rules[]", any_scope}},
    {"ValidatingWebhookConfiguration", {"webhooks[].clientConfig.service", https_port}},
};

constexpr rule mode[]{{"defaultMode", "420"}};
constexpr rule core_version[]{{"apiVersion", R"("v1")", zero::is_absent}};
constexpr rule an_hour[]{{"expirationSeconds", "3600"}};

constexpr place volume_places[]{
    {"volumes[].hostPath", host_path},
    {"volumes[].secret", mode},
    {"volumes[].configMap", mode},
    {"volumes[].downwardAPI", mode},
    {"volumes[].downwardAPI.items[].fieldRef", core_version},
    {"volumes[].projected", mode},
    {"volumes[].projected.sources[].serviceAccountToken", an_hour},
    {"volumes[].projected.sources[].downwardAPI.items[].fieldRef", core_version},
};

constexpr rule probe[]{
    {"timeoutSeconds", "1", zero::is_absent},
    {"periodSeconds", "10", zero::is_absent},
    {"successThreshold", "1", zero::is_absent},
    {"failureThreshold", "3", zero::is_absent},
};
constexpr rule http_get[]{{"path", R"("/")", zero::is_absent}, {"scheme", R"("HTTP")", zero::is_absent}};
constexpr rule grpc[]{{"service", R"("")"}};

constexpr place container_places[]{
    {"ports[]", stated_protocol},
    {"env[].valueFrom.fieldRef", core_version},
    {"lifecycle.postStart.httpGet", http_get},
    {"lifecycle.preStop.httpGet", http_get},
    {"livenessProbe", probe},
    {"livenessProbe.httpGet", http_get},
    {"livenessProbe.grpc", grpc},
    {"readinessProbe", probe},
    {"readinessProbe.httpGet", http_get},
    {"readinessProbe.grpc", grpc},
    {"startupProbe", probe},
    {"startupProbe.httpGet", http_get},
    {"startupProbe.grpc", grpc},
};

bool is_zero(const json::value& v)
{
    return (v.is_string() && v.get_string().empty()) || (v.is_number() && v.to_number<double>() == 0);
}

void fill(json::object& o, const rule& r, default_budget& budget)
{
    auto& member = o[r.member];
    if (!member.is_null() && !(r.given == zero::is_absent && is_zero(member))) return;
    member = parse_trusted(r.value);
    budget.spend(1);
}

void fill(json::value& v, std::string_view path, std::span<const rule> rules, default_budget& budget)
{
    if (!v.is_object()) return;
    if (path.empty()) {
        for (const auto& r : rules)
            if (!budget.spent()) fill(v.get_object(), r, budget);
        return;
    }
    auto step = path.substr(0, path.find('.'));
    const auto rest = path.substr(std::min(path.size(), step.size() + 1));
    const bool of_items = step.ends_with("[]");
    if (of_items) step.remove_suffix(2);
    auto* found = v.get_object().if_contains(step);
    if (!found) return;
    if (!of_items) return fill(*found, rest, rules, budget);
    if (!found->is_array()) return;
    for (auto& item : found->get_array()) {
        if (budget.spent()) return;
        fill(item, rest, rules, budget);
    }
}

} // namespace

void apply_default_rules(std::string_view kind, json::value& object, default_budget& budget)
{
    for (const auto& each : places)
        if (each.kind == kind) fill(object, each.at.path, each.at.rules, budget);
}

void apply_volume_rules(json::value& spec, default_budget& budget)
{
    for (const auto& each : volume_places) fill(spec, each.path, each.rules, budget);
}

void apply_container_rules(json::value& container, default_budget& budget)
{
    for (const auto& each : container_places) fill(container, each.path, each.rules, budget);
}

} // namespace kubecoro::apiserver
