#include "schema/service_spec.hpp"

#include "text/json_text.hpp"

#include <map>
#include <set>
#include <string>

namespace kubecoro::apiserver {
namespace {

std::string_view type_of(const json::value& service) { return text_at(service, "spec.type"); }

/// The value at a path of the specification, where absent, null, and an empty text or list are the same.
const json::value* stated_at(const json::value& service, std::string_view member)
{
    const auto* value = find_at(service, "spec." + std::string(member));
    if (!value || value->is_null()) return nullptr;
    if (value->is_string() && value->get_string().empty()) return nullptr;
    if (value->is_array() && value->get_array().empty()) return nullptr;
    return value;
}

bool same(const json::value& a, const json::value& b, std::string_view member)
{
    const auto* x = stated_at(a, member);
    const auto* y = stated_at(b, member);
    return x && y ? *x == *y : x == y;
}

json::object& spec_of(json::value& service) { return object_member(service.get_object(), "spec"); }

void take(const json::value& from, json::value& to, std::string_view member)
{
    if (const auto* value = stated_at(from, member)) spec_of(to)[member] = *value;
}

/// Removes a member that the new type does not have, unless the update sets it: then it is refused.
void drop(const json::value& before, json::value& after, std::string_view member)
{
    if (same(before, after, member)) spec_of(after).stable_erase(member);
}

void settle_cluster_ips(const json::value& before, json::value& after)
{
    if (!has_cluster_ip(before)) return;
    if (!has_cluster_ip(after)) {
        if (stated_at(after, "clusterIPs") && !same(before, after, "clusterIPs")) return;
        for (const std::string_view member :
             {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"})
            drop(before, after, member);
        return;
    }
    for (const std::string_view member : {"ipFamilies", "ipFamilyPolicy"})
        if (!stated_at(after, member)) take(before, after, member);
    if (!stated_at(after, "clusterIP")) take(before, after, "clusterIP");
    if (!stated_at(after, "clusterIPs") && same(before, after, "clusterIP")) take(before, after, "clusterIPs");
    // A client that knows one address only has changed it.
    if (!same(before, after, "clusterIP") && same(before, after, "clusterIPs"))
        spec_of(after)["clusterIPs"] = json::array{*stated_at(after, "clusterIP")};
}

/// The node ports of a service by the names of its ports.
std::map<std::string, std::int64_t> node_ports_of(const json::value& service)
{
    std::map<std::string, std::int64_t> out;
    if (const auto* ports = array_at(service, "spec.ports"))
        for (const auto& port : *ports)
            if (const auto number = int_at(port, "nodePort"); number != 0) out.emplace(text_at(port, "name"), number);
    return out;
}

void settle_node_ports(const json::value& before, json::value& after)
{
    auto* ports = spec_of(after).if_contains("ports");
    if (!may_have_node_ports(before) || !ports || !ports->is_array()) return;
    const auto known = node_ports_of(before);
    if (!may_have_node_ports(after)) {
        if (node_ports_of(after) != known) return;
        for (auto& port : ports->get_array())
            if (port.is_object()) port.get_object().stable_erase("nodePort");
        return;
    }
    std::set<std::int64_t> stated;
    for (const auto& [name, number] : node_ports_of(after)) stated.insert(number);
    for (auto& port : ports->get_array()) {
        if (!port.is_object() || int_at(port, "nodePort") != 0) continue;
        const auto found = known.find(std::string(text_at(port, "name")));
        if (found != known.end() && !stated.contains(found->second)) port.get_object()["nodePort"] = found->second;
    }
}

void settle_health_check_port(const json::value& before, json::value& after)
{
    if (!has_health_check_port(before)) return;
    if (!has_health_check_port(after))
        drop(before, after, "healthCheckNodePort");
    else if (int_at(after, "spec.healthCheckNodePort") == 0)
        take(before, after, "healthCheckNodePort");
}

/// The families of a service in a cluster that has IPv4 only.
void default_ip_families(json::value& service)
{
    const auto* selector = object_at(service, "spec.selector");
    auto& spec = spec_of(service);
    // Its addresses are made by others, who may use both families.
    const bool open = is_headless(service) && (!selector || selector->empty());
    if (!stated_at(service, "ipFamilyPolicy")) spec["ipFamilyPolicy"] = open ? "RequireDualStack" : "SingleStack";
    const bool both = open && text_at(service, "spec.ipFamilyPolicy") != "SingleStack";
    auto families = json::array{"IPv4"};
    if (const auto* stated = stated_at(service, "ipFamilies"); stated && stated->is_array())
        families = stated->get_array();
    if (both && families.size() == 1) families.push_back(families[0] == "IPv4" ? "IPv6" : "IPv4");
    spec["ipFamilies"] = std::move(families);
}

} // namespace

bool has_cluster_ip(const json::value& service) { return type_of(service) != "ExternalName"; }

bool may_have_node_ports(const json::value& service)
{
    return type_of(service) == "NodePort" || type_of(service) == "LoadBalancer";
}

bool has_health_check_port(const json::value& service)
{
    return type_of(service) == "LoadBalancer" && text_at(service, "spec.externalTrafficPolicy") == "Local";
}

bool is_headless(const json::value& service)
{
    if (text_at(service, "spec.clusterIP") == "None") return true;
    const auto* ips = array_at(service, "spec.clusterIPs");
    return ips && !ips->empty() && ips->front() == "None";
}

void default_service(json::object& spec)
{
    if (auto* ports = spec.if_contains("ports"); ports && ports->is_array())
        for (auto& port : ports->get_array()) {
            if (!port.is_object()) continue;
            auto& members = port.get_object();
            default_member(members, "protocol", "TCP");
            auto& target = members["targetPort"];
            const bool none = target.is_null() || target == 0 || target == "";
            if (const auto* number = members.if_contains("port"); number && none) {
                const json::value copy = *number;
                members["targetPort"] = copy;
            } else if (none)
                members.stable_erase("targetPort");
        }
    default_member(spec, "type", "ClusterIP");
    default_member(spec, "sessionAffinity", "None");
    if (spec.at("sessionAffinity") == "None")
        spec.stable_erase("sessionAffinityConfig");
    else if (spec.at("sessionAffinity") == "ClientIP")
        default_member(object_member(object_member(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds",
                       10800);
    // A copy: a new member may move the others.
    const json::value type = spec.at("type");
    if (type != "ExternalName") default_member(spec, "internalTrafficPolicy", "Cluster");
    if (type == "NodePort" || type == "LoadBalancer") default_member(spec, "externalTrafficPolicy", "Cluster");
    if (type == "LoadBalancer") default_member(spec, "allocateLoadBalancerNodePorts", true);
}

void settle_service(const json::value* before, json::value& after)
{
    if (before) {
        settle_cluster_ips(*before, after);
        settle_node_ports(*before, after);
        settle_health_check_port(*before, after);
        if (may_have_node_ports(*before) && !may_have_node_ports(after)) drop(*before, after, "externalTrafficPolicy");
        if (type_of(*before) == "LoadBalancer" && type_of(after) != "LoadBalancer")
            for (const std::string_view member : {"allocateLoadBalancerNodePorts", "loadBalancerClass"})
                drop(*before, after, member);
    }
    if (!has_cluster_ip(after)) return;
    if (!stated_at(after, "clusterIPs") && stated_at(after, "clusterIP"))
        spec_of(after)["clusterIPs"] = json::array{*stated_at(after, "clusterIP")};
    default_ip_families(after);
}

} // namespace kubecoro::apiserver
