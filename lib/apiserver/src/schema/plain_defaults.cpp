#include "schema/plain_defaults.hpp"

#include "schema/default_rules.hpp"
#include "text/json_text.hpp"

#include <string>

namespace kubecoro::apiserver {
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

} // namespace kubecoro::apiserver
