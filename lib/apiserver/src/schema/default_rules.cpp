// Defaults that need no code, those of kinds other than pods and workloads, and the rounding of lists of resources.
#include "schema/defaults.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/quantity.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <limits>
#include <span>
#include <string>

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

namespace {

bool is_empty_list(const json::object& o, std::string_view key)
{
    const auto* list = o.if_contains(key);
    return !list || !list->is_array() || list->get_array().empty();
}

json::object* object_in(json::object& o, std::string_view key)
{
    auto* found = o.if_contains(key);
    return found ? found->if_object() : nullptr;
}

void default_policy_types(json::object& spec)
{
    if (!is_empty_list(spec, "policyTypes")) return;
    json::array types{"Ingress"};
    if (!is_empty_list(spec, "egress")) types.push_back("Egress");
    spec["policyTypes"] = std::move(types);
}

/// Sets members of `target` that it lacks.
void add_absent(json::object& limit, std::string_view target, std::string_view source, default_budget& budget)
{
    auto& into = object_member(limit, target);
    const auto* from = object_in(limit, source);
    if (!from) return;
    for (const auto& [key, value] : *from)
        if (!budget.spent() && into.emplace(key, value).second) budget.spend(1);
}

void default_limits(json::object& spec, default_budget& budget)
{
    auto* limits = spec.if_contains("limits");
    if (!limits || !limits->is_array()) return;
    for (auto& limit : limits->get_array()) {
        if (budget.spent()) return;
        if (text_at(limit, "type") != "Container") continue;
        auto& o = limit.get_object();
        add_absent(o, "default", "max", budget);
        add_absent(o, "defaultRequest", "default", budget);
        add_absent(o, "defaultRequest", "min", budget);
    }
}

json::object policy(std::string_view type, int value)
{
    return {{"type", type}, {"value", value}, {"periodSeconds", 15}};
}

/// An autoscaler without a behaviour has none; one with a part of it has all.
void default_behavior(json::object& spec)
{
    auto* behavior = object_in(spec, "behavior");
    if (!behavior) return;
    auto& up = object_member(*behavior, "scaleUp");
    default_member(up, "stabilizationWindowSeconds", 0);
    default_member(up, "selectPolicy", "Max");
    default_member(up, "policies", json::array{policy("Pods", 4), policy("Percent", 100)});
    auto& down = object_member(*behavior, "scaleDown");
    default_member(down, "selectPolicy", "Max");
    default_member(down, "policies", json::array{policy("Percent", 100)});
}

/// A request for an exact number of devices is for one.
void default_count(json::value& request, default_budget& budget)
{
    if (budget.spent() || text_at(request, "allocationMode") != "ExactCount" || int_at(request, "count") != 0) return;
    request.get_object()["count"] = 1;
    budget.spend(1);
}

void default_devices(json::object& spec, default_budget& budget)
{
    auto* devices = object_in(spec, "devices");
    auto* requests = devices ? devices->if_contains("requests") : nullptr;
    if (!requests || !requests->is_array()) return;
    for (auto& request : requests->get_array()) {
        if (!request.is_object()) continue;
        if (auto* exactly = request.get_object().if_contains("exactly")) default_count(*exactly, budget);
        auto* first = request.get_object().if_contains("firstAvailable");
        if (!first || !first->is_array()) continue;
        for (auto& each : first->get_array()) default_count(each, budget);
    }
}

/// Claims of a template have a status, as all claims.
void default_claims(json::object& o, default_budget& budget)
{
    auto* spec = object_in(o, "spec");
    auto* claims = spec ? spec->if_contains("volumeClaimTemplates") : nullptr;
    if (!claims || !claims->is_array()) return;
    for (auto& claim : claims->get_array()) {
        if (budget.spent() || !claim.is_object()) continue;
        object_member(claim.get_object(), "status");
        budget.spend(1);
    }
}

/// A controller without a selector, or without labels, has the labels of its pods.
void default_controller(json::object& o, json::object& spec)
{
    auto* pod_template = object_in(spec, "template");
    auto* metadata = pod_template ? object_in(*pod_template, "metadata") : nullptr;
    const auto* of_pods = metadata ? object_in(*metadata, "labels") : nullptr;
    if (!of_pods || of_pods->empty()) return;
    const auto labels = *of_pods;
    if (auto& own = object_member(spec, "selector"); own.empty()) own = labels;
    if (auto& own = object_member(object_member(o, "metadata"), "labels"); own.empty()) own = labels;
}

void default_node(json::object& status)
{
    const auto* capacity = object_in(status, "capacity");
    if (!capacity) return;
    const json::value all = *capacity;
    default_member(status, "allocatable", all);
}

} // namespace

void apply_plain_defaults(const resource_info& info, json::value& body, bool fresh)
{
    auto& o = body.get_object();
    // Unique among built-in kinds. Custom resources, which may have any of these, do not come here.
    const std::string_view kind = info.kind;
    default_budget budget;
    if (info.behaves == builtin::stateful_set) default_claims(o, budget);
    apply_default_rules(kind, body, budget);
    if (kind == "PersistentVolume" && fresh) {
        const json::value now(text_at(body, "metadata.creationTimestamp"));
        object_member(o, "status")["lastPhaseTransitionTime"] = now;
    }
    if (info.behaves == builtin::node) default_node(object_member(o, "status"));
    auto* spec = object_in(o, "spec");
    if (!spec) return;
    if (kind == "NetworkPolicy") default_policy_types(*spec);
    if (kind == "LimitRange") default_limits(*spec, budget);
    if (info.behaves == builtin::autoscaler) default_behavior(*spec);
    if (kind == "ReplicationController") default_controller(o, *spec);
    if (kind == "ResourceClaim") default_devices(*spec, budget);
    if (kind == "ResourceClaimTemplate") default_devices(object_member(*spec, "spec"), budget);
}

namespace {

using detail::field_flag;
using detail::schema_field;
namespace builtin_tables = detail::builtin_schemas;

void round_to_thousandths(json::value& amount)
{
    const auto read = quantity::parse(scalar_text(amount));
    if (!read) return;
    const auto count = read->milli_value();
    using limits = std::numeric_limits<std::int64_t>;
    if (count == limits::max() || count == limits::min()) return;
    const auto thousandths = quantity::milli(count);
    if (thousandths == *read) return;
    auto rounded = *read; // in its own form
    rounded += thousandths - *read;
    amount = rounded.canonical();
}

void round_members(json::object& object, std::uint16_t message);

void round_field(json::value& value, const schema_field& field)
{
    if (field.type != detail::field_type::message) return;
    const bool is_amount = builtin_tables::message(field.message).form == detail::json_form::quantity;
    if (auto* object = value.if_object(); object && field.has(field_flag::map)) {
        for (auto& member : *object)
            if (is_amount) round_to_thousandths(member.value());
    } else if (auto* items = value.if_array(); items && field.has(field_flag::repeated)) {
        for (auto& item : *items)
            if (auto* each = item.if_object()) round_members(*each, field.message);
    } else if (object)
        round_members(*object, field.message);
}

// Recursion is bounded by the depth of the text that the object was read from.
void round_members(json::object& object, std::uint16_t message)
{
    for (auto& member : object)
        if (const auto* field = builtin_tables::find_field(message, member.key())) round_field(member.value(), *field);
}

} // namespace

void round_resource_lists(const resource_info& info, json::value& body)
{
    if (info.custom || (!info.group.empty() && info.group != "apps" && info.group != "batch")) return;
    const auto* kind = builtin_tables::find(info.api_version(info.storage_version), info.kind);
    if (kind && body.is_object()) round_members(body.get_object(), kind->message);
}

} // namespace kubecoro::apiserver
