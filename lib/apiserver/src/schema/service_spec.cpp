#include "schema/service_spec.hpp"

#include "objects/status_errors.hpp"
#include "schema/name_validation.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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

namespace {

using errors::enough;
using errors::forbidden_field;
using errors::invalid_value;
using errors::not_supported;
using errors::required;

std::string shown(const json::value* v) { return v ? to_text(*v) : "null"; }

/// Checks that a text of the specification is one of two or more. @param supported  As the error shows them.
void check_choice(const json::value& service, std::string_view member, std::initializer_list<std::string_view> choices,
                  std::string_view supported, std::vector<status_cause>& causes)
{
    const auto field = "spec." + std::string(member);
    const auto text = text_at(service, field);
    if (std::find(choices.begin(), choices.end(), text) == choices.end())
        causes.push_back(not_supported(field, quote(text), supported));
}

void check_port_name(const json::value& port, bool needed, const std::string& at, std::set<std::string>& names,
                     std::vector<status_cause>& causes)
{
    const std::string name(text_at(port, "name"));
    if (name.empty()) {
        if (needed) causes.push_back(required(at + ".name"));
        return;
    }
    if (!is_label(name))
        causes.push_back(invalid_value(at + ".name", quote(name), label_rule));
    else if (!names.insert(name).second)
        causes.push_back(errors::duplicate(at + ".name", quote(name)));
}

void check_port(const json::value& port, const std::string& at, std::vector<status_cause>& causes)
{
    if (const auto number = int_at(port, "port"); !is_port(number))
        causes.push_back(invalid_value(at + ".port", std::to_string(number), port_rule));
    const auto protocol = text_at(port, "protocol");
    if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP")
        causes.push_back(not_supported(at + ".protocol", quote(protocol), R"("SCTP", "TCP", "UDP")"));
    if (const auto* target = find_at(port, "targetPort")) validate_port(target, at + ".targetPort", causes);
}

void check_ports(const json::value& service, std::vector<status_cause>& causes)
{
    static const json::array none;
    const auto* stated = array_at(service, "spec.ports");
    const auto& ports = stated ? *stated : none;
    if (ports.empty() && has_cluster_ip(service) && !is_headless(service)) causes.push_back(required("spec.ports"));
    std::set<std::string> names;
    std::set<std::pair<std::string_view, std::int64_t>> known;
    for (std::size_t i = 0; i < ports.size() && !enough(causes); ++i) {
        const auto at = "spec.ports[" + std::to_string(i) + "]";
        check_port_name(ports[i], ports.size() > 1, at, names, causes);
        check_port(ports[i], at, causes);
        if (int_at(ports[i], "nodePort") != 0 && !may_have_node_ports(service))
            causes.push_back(forbidden_field(at + ".nodePort", "may not be used when `type` is '" +
                                                                   std::string(text_at(service, "spec.type")) + "'"));
    }
    for (std::size_t i = 0; i < ports.size() && !enough(causes); ++i) {
        const auto number = int_at(ports[i], "port");
        const auto protocol = text_at(ports[i], "protocol");
        if (!known.emplace(protocol, number).second)
            causes.push_back(errors::duplicate("spec.ports[" + std::to_string(i) + "]",
                                               R"({"Name":"","Protocol":)" + quote(protocol) +
                                                   R"(,"AppProtocol":null,"Port":)" + std::to_string(number) +
                                                   R"(,"TargetPort":0,"NodePort":0})"));
    }
}

void check_traffic(const json::value& service, std::vector<status_cause>& causes)
{
    check_choice(service, "type", {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"},
                 R"("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")", causes);
    const auto external = text_at(service, "spec.externalTrafficPolicy");
    if (may_have_node_ports(service))
        check_choice(service, "externalTrafficPolicy", {"Cluster", "Local"}, R"("Cluster", "Local")", causes);
    else if (!external.empty() && !find_at(service, "spec.externalIPs"))
        causes.push_back(invalid_value("spec.externalTrafficPolicy", quote(external),
                                       "may only be set for externally-accessible services"));
    if (has_cluster_ip(service))
        check_choice(service, "internalTrafficPolicy", {"Cluster", "Local"}, R"("Cluster", "Local")", causes);
    if (const auto port = int_at(service, "spec.healthCheckNodePort"); port != 0 && !has_health_check_port(service))
        causes.push_back(invalid_value("spec.healthCheckNodePort", std::to_string(port),
                                       "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is "
                                       "'Local'"));
    if (find_at(service, "spec.allocateLoadBalancerNodePorts") && text_at(service, "spec.type") != "LoadBalancer")
        causes.push_back(
            forbidden_field("spec.allocateLoadBalancerNodePorts", "may only be used when `type` is 'LoadBalancer'"));
}

void check_affinity(const json::value& service, std::vector<status_cause>& causes)
{
    check_choice(service, "sessionAffinity", {"ClientIP", "None"}, R"("ClientIP", "None")", causes);
    const auto* timeout = find_at(service, "spec.sessionAffinityConfig.clientIP.timeoutSeconds");
    if (!timeout || !timeout->is_int64()) return;
    if (const auto seconds = timeout->get_int64(); seconds <= 0 || seconds > 86'400)
        causes.push_back(invalid_value("spec.sessionAffinityConfig.clientIP.timeoutSeconds", std::to_string(seconds),
                                       "must be greater than 0 and less than 86400"));
}

void check_families(const json::value& service, std::vector<status_cause>& causes)
{
    const auto policy = text_at(service, "spec.ipFamilyPolicy");
    if (policy != "SingleStack" && policy != "PreferDualStack" && policy != "RequireDualStack")
        causes.push_back(not_supported("spec.ipFamilyPolicy", quote(policy),
                                       R"("PreferDualStack", "RequireDualStack", "SingleStack")"));
    const auto* selector = object_at(service, "spec.selector");
    if (is_headless(service) && (!selector || selector->empty())) return;
    if (policy == "RequireDualStack")
        causes.push_back(invalid_value("spec.ipFamilyPolicy", quote(policy),
                                       "this cluster is not configured for dual-stack services"));
    const auto* families = array_at(service, "spec.ipFamilies");
    for (std::size_t i = 0; families && i < families->size() && !enough(causes); ++i) {
        const auto& family = (*families)[i];
        const auto at = "spec.ipFamilies[" + std::to_string(i) + "]";
        if (family == "IPv6")
            causes.push_back(invalid_value(at, to_text(family), "not configured on this cluster"));
        else if (family != "IPv4")
            causes.push_back(not_supported(at, to_text(family), R"("IPv4", "IPv6")"));
        else if (i > 0)
            causes.push_back(errors::duplicate(at, to_text(family)));
    }
}

void check_cluster_ip(const json::value& service, const json::array& ips, std::vector<status_cause>& causes)
{
    const std::string_view first = scalar_text(ips.front()) == "None" ? "None" : text_at(service, "spec.clusterIP");
    if (first == "None") {
        const auto type = text_at(service, "spec.type");
        if (type != "ClusterIP")
            causes.push_back(invalid_value("spec.clusterIPs[0]", quote(first),
                                           "may not be set to 'None' for " + std::string(type) + " services"));
        if (ips.size() > 1)
            causes.push_back(invalid_value("spec.clusterIPs", to_text(ips), "'None' must be the first and only value"));
        return;
    }
    if (first.find(':') != std::string_view::npos)
        causes.push_back(invalid_value("spec.clusterIPs[0]", to_text(ips), "IPv6 is not configured on this cluster"));
    else if (!service_address::parse(first))
        causes.push_back(invalid_value("spec.clusterIPs[0]", quote(first),
                                       "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
    else if (ips.size() > 1)
        causes.push_back(
            invalid_value("spec.clusterIPs", to_text(ips), "may specify no more than one IP for each IP family"));
}

void check_cluster_ips(const json::value& service, std::vector<status_cause>& causes)
{
    const auto* ips = array_at(service, "spec.clusterIPs");
    const bool some = ips && !ips->empty();
    if (!has_cluster_ip(service)) {
        if (some || !text_at(service, "spec.clusterIP").empty())
            causes.push_back(forbidden_field("spec.clusterIPs", "may not be set for ExternalName services"));
        return;
    }
    check_families(service, causes);
    if (!some) return;
    const auto single = text_at(service, "spec.clusterIP");
    if (single.empty())
        causes.push_back(
            invalid_value("spec.clusterIPs", to_text(*ips), "must be empty when `clusterIP` is not specified"));
    else if (ips->front() != json::value(single))
        causes.push_back(invalid_value("spec.clusterIPs", to_text(*ips), "first value must match `clusterIP`"));
    else
        check_cluster_ip(service, *ips, causes);
}

void check_external_name(const json::value& service, std::vector<status_cause>& causes)
{
    if (text_at(service, "spec.type") != "ExternalName") return;
    auto name = text_at(service, "spec.externalName");
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.empty())
        causes.push_back(required("spec.externalName"));
    else if (!is_subdomain(name))
        causes.push_back(invalid_value("spec.externalName", quote(name), subdomain_rule));
}

} // namespace

void validate_service(const json::value& service, std::vector<status_cause>& causes)
{
    if (const auto* selector = object_at(service, "spec.selector")) validate_labels(*selector, "spec.selector", causes);
    check_cluster_ips(service, causes);
    check_ports(service, causes);
    check_affinity(service, causes);
    check_external_name(service, causes);
    check_traffic(service, causes);
}

void validate_service_update(const json::value& before, const json::value& after, std::vector<status_cause>& causes)
{
    if (!has_cluster_ip(before) || !has_cluster_ip(after)) return;
    const auto* then = array_at(before, "spec.clusterIPs");
    const auto* now = find_at(after, "spec.clusterIPs");
    if (!then || then->empty() || (now && *now == json::value(*then))) return;
    causes.push_back(invalid_value("spec.clusterIPs[0]", shown(now), "may not change once set"));
}

} // namespace kubecoro::apiserver
