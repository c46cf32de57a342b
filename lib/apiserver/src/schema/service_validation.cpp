// Validates services with the words of Kubernetes.
#include "objects/names.hpp"
#include "objects/service_address.hpp"
#include "objects/status_errors.hpp"
#include "schema/port_names.hpp"
#include "schema/selector_validation.hpp"
#include "schema/service_spec.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace kubecoro::apiserver {
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
