// Validates containers: variables of the environment, ports, resources, probes and hooks.
#include "objects/status_errors.hpp"
#include "schema/name_validation.hpp"
#include "schema/pod_validation.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/label_rules.hpp>
#include <kubecoro/api/quantity.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::enough;
using errors::forbidden_field;
using errors::invalid_value;
using errors::required;

bool contains(const auto& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

std::string listed(const auto& names)
{
    std::string out;
    for (const std::string_view name : names) out += (out.empty() ? "" : ", ") + quote(name);
    return out;
}

constexpr std::array pod_fields = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
/// Those of pods that fields can be read from, but not into a variable.
constexpr std::array other_fields = {"metadata.annotations",    "metadata.labels",  "spec.restartPolicy",
                                     "spec.schedulerName",      "spec.hostNetwork", "status.phase",
                                     "status.nominatedNodeName"};
constexpr std::array container_resources = {"limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
                                            "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

void check_field_ref(const json::value& ref, const std::string& path, std::vector<status_cause>& causes)
{
    const auto field = path + ".fieldPath";
    const auto text = text_at(ref, "fieldPath");
    const auto subscript = text.find("['");
    const auto whole = text.substr(0, subscript);
    if (text.empty())
        causes.push_back(required(field));
    else if (subscript != text.npos && (whole == "metadata.labels" || whole == "metadata.annotations"))
        return;
    else if (contains(other_fields, text))
        causes.push_back(errors::not_supported(field, quote(text), listed(pod_fields)));
    else if (!contains(pod_fields, text))
        causes.push_back(invalid_value(field, quote(text),
                                       "error converting fieldPath: field label not supported: " + std::string(text)));
}

/// A key of a ConfigMap or Secret.
void check_key_ref(const json::value& ref, const std::string& path, std::vector<status_cause>& causes)
{
    if (const auto name = text_at(ref, "name"); !is_subdomain(name))
        causes.push_back(invalid_value(path + ".name", quote(name), subdomain_rule));
    const auto key = text_at(ref, "key");
    if (key.empty())
        causes.push_back(required(path + ".key"));
    else
        for (const auto& why : config_key_problems(key))
            causes.push_back(invalid_value(path + ".key", quote(key), why));
}

void check_resource_ref(const json::value& ref, const std::string& path, std::vector<status_cause>& causes)
{
    const auto field = path + ".resource";
    const auto name = text_at(ref, "resource");
    const bool pages = name.starts_with("limits.hugepages-") || name.starts_with("requests.hugepages-");
    if (name.empty())
        causes.push_back(required(field));
    else if (!pages && !contains(container_resources, name))
        causes.push_back(errors::not_supported(field, quote(name), listed(container_resources)));
}

void check_value_from(const json::value& variable, const std::string& path, std::vector<status_cause>& causes)
{
    const auto* from = find_at(variable, "valueFrom");
    if (!from || !from->is_object()) return;
    std::size_t sources = 0;
    for (const std::string_view name :
         {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"}) {
        const auto* ref = find_at(*from, name);
        if (!ref || !ref->is_object()) continue;
        ++sources;
        const auto at = path + "." + std::string(name);
        if (name == "fieldRef")
            check_field_ref(*ref, at, causes);
        else if (name == "resourceFieldRef")
            check_resource_ref(*ref, at, causes);
        else if (name != "fileKeyRef")
            check_key_ref(*ref, at, causes);
    }
    const auto add = [&](std::string_view why) { causes.push_back(invalid_value(path, "\"\"", why)); };
    if (sources == 0)
        add("must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
    else if (!text_at(variable, "value").empty())
        add("may not be specified when `value` is not empty");
    else if (sources > 1)
        add("may not have more than one field specified at a time");
}

void check_variable_name(std::string_view name, const std::string& field, std::vector<status_cause>& causes)
{
    const bool right = std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~' && c != '='; });
    if (!right)
        causes.push_back(
            invalid_value(field, quote(name),
                          "a valid environment variable name must consist only of printable ASCII characters "
                          "other than '='"));
}

void check_env_from(const json::value& source, const std::string& list, const std::string& path,
                    std::vector<status_cause>& causes)
{
    if (const auto prefix = text_at(source, "prefix"); !prefix.empty())
        check_variable_name(prefix, path + ".prefix", causes);
    std::size_t sources = 0;
    for (const std::string_view kind : {"configMapRef", "secretRef"}) {
        const auto* ref = find_at(source, kind);
        if (!ref || !ref->is_object()) continue;
        ++sources;
        const auto field = path + "." + std::string(kind) + ".name";
        const auto name = text_at(*ref, "name");
        if (name.empty())
            causes.push_back(required(field));
        else if (!is_subdomain(name))
            causes.push_back(invalid_value(field, quote(name), subdomain_rule));
    }
    if (sources != 1)
        causes.push_back(invalid_value(list, "\"\"",
                                       sources == 0 ? "must specify one of: `configMapRef` or `secretRef`"
                                                    : "may not have more than one field specified at a time"));
}

} // namespace

void validate_env(const json::value& container, const std::string& path, std::vector<status_cause>& causes)
{
    const auto* variables = array_at(container, "env");
    for (std::size_t i = 0; variables && i < variables->size() && !enough(causes); ++i) {
        const auto at = path + ".env[" + std::to_string(i) + "]";
        const auto name = text_at((*variables)[i], "name");
        if (name.empty())
            causes.push_back(required(at + ".name"));
        else
            check_variable_name(name, at + ".name", causes);
        check_value_from((*variables)[i], at + ".valueFrom", causes);
    }
    const auto* sources = array_at(container, "envFrom");
    for (std::size_t i = 0; sources && i < sources->size() && !enough(causes); ++i)
        check_env_from((*sources)[i], path + ".envFrom", path + ".envFrom[" + std::to_string(i) + "]", causes);
}

void validate_ports(const json::value& container, const std::string& path, std::vector<status_cause>& causes)
{
    const auto* ports = array_at(container, "ports");
    std::set<std::string_view> names;
    for (std::size_t i = 0; ports && i < ports->size() && !enough(causes); ++i) {
        const auto& port = (*ports)[i];
        const auto at = path + ".ports[" + std::to_string(i) + "]";
        const auto name = text_at(port, "name");
        const auto problems = name.empty() ? std::vector<std::string>{} : port_name_problems(name);
        for (const auto& why : problems) causes.push_back(invalid_value(at + ".name", quote(name), why));
        if (!name.empty() && problems.empty() && !names.insert(name).second)
            causes.push_back(errors::duplicate(at + ".name", quote(name)));
        const auto number = int_at(port, "containerPort");
        if (number == 0)
            causes.push_back(required(at + ".containerPort"));
        else if (!is_port(number))
            causes.push_back(invalid_value(at + ".containerPort", std::to_string(number), port_rule));
        if (const auto host = int_at(port, "hostPort"); host != 0 && !is_port(host))
            causes.push_back(invalid_value(at + ".hostPort", std::to_string(host), port_rule));
        if (const auto protocol = text_at(port, "protocol");
            protocol != "TCP" && protocol != "UDP" && protocol != "SCTP")
            causes.push_back(errors::not_supported(at + ".protocol", quote(protocol), R"("SCTP", "TCP", "UDP")"));
    }
}

namespace {

bool is_page(std::string_view name) { return name.starts_with("hugepages-"); }

/// The resources of a node that containers share.
bool is_native(std::string_view name)
{
    return name.find('/') == name.npos || name.starts_with("kubernetes.io/") ||
           name.find(".kubernetes.io/") != name.npos;
}

bool is_whole(const quantity& amount) { return quantity::of(amount.value()) == amount; }

void check_resource_name(std::string_view name, const std::string& field, std::vector<status_cause>& causes)
{
    for (const auto& why : detail::label_key_problems(name)) causes.push_back(invalid_value(field, quote(name), why));
    if (name.find('/') != name.npos || name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
        is_page(name))
        return;
    for (const std::string_view why :
         {"must be a standard resource type or fully qualified", "must be a standard resource for containers"})
        causes.push_back(invalid_value(field, quote(name), why));
}

std::optional<quantity> amount_in(const json::object* list, std::string_view name)
{
    const auto* found = list ? list->if_contains(name) : nullptr;
    const auto amount = found ? quantity::parse(scalar_text(*found)) : result<quantity>(quantity());
    return found && amount ? std::optional(*amount) : std::nullopt;
}

void check_amounts(const json::object& list, const std::string& path, std::vector<status_cause>& causes)
{
    for (const auto& member : list) {
        if (enough(causes)) return;
        const std::string_view name = member.key();
        const auto field = path + "[" + std::string(name) + "]";
        check_resource_name(name, field, causes);
        const auto amount = amount_in(&list, name);
        if (!amount) continue;
        if (amount->sign() < 0)
            causes.push_back(invalid_value(field, quote(amount->text()), "must be greater than or equal to 0"));
        if (!is_native(name) && !is_whole(*amount))
            causes.push_back(invalid_value(field, quote(amount->text()), "must be an integer"));
    }
}

/// Memory that is backed by huge pages, and devices, cannot be promised to more containers than there are.
bool is_overcommitted(std::string_view name) { return is_native(name) && !is_page(name); }

void check_requests(const json::object& requests, const json::object* limits, const std::string& path,
                    std::vector<status_cause>& causes)
{
    for (const auto& member : requests) {
        if (enough(causes)) return;
        const std::string_view name = member.key();
        const auto request = amount_in(&requests, name), limit = amount_in(limits, name);
        const auto add = [&](const std::string& why) {
            causes.push_back(invalid_value(path + ".requests", quote(request->text()),
                                           why + std::string(name) + " limit of " + limit->text()));
        };
        if (!request) continue;
        if (!limit && !is_overcommitted(name))
            causes.push_back(required(path + ".limits", "Limit must be set for non overcommitable resources"));
        if (!limit) continue;
        if (!is_overcommitted(name) && *request != *limit)
            add("must be equal to ");
        else if (is_overcommitted(name) && *request > *limit)
            add("must be less than or equal to ");
    }
}

} // namespace

void validate_resources(const json::value& container, const std::string& path, std::vector<status_cause>& causes)
{
    const auto* limits = object_at(container, "resources.limits");
    const auto* requests = object_at(container, "resources.requests");
    const auto at = path + ".resources";
    if (limits) check_amounts(*limits, at + ".limits", causes);
    if (requests) check_amounts(*requests, at + ".requests", causes);
    if (requests) check_requests(*requests, limits, at, causes);
    bool pages = false, others = false;
    for (const auto* list : {limits, requests})
        if (list)
            for (const auto& member : *list) {
                pages = pages || is_page(member.key());
                others = others || member.key() == "cpu" || member.key() == "memory";
            }
    if (pages && !others) causes.push_back(forbidden_field(at, "HugePages require cpu or memory"));
}

namespace {

using errors::forbidden_field;
using errors::invalid_value;
using errors::required;

void check_handler(std::string_view kind, const json::value& handler, const std::string& path,
                   std::vector<status_cause>& causes)
{
    if (kind == "exec") {
        const auto* command = array_at(handler, "command");
        if (!command || command->empty()) causes.push_back(required(path + ".command"));
        return;
    }
    if (kind == "sleep") return;
    if (kind == "httpGet") {
        if (text_at(handler, "path").empty()) causes.push_back(required(path + ".path"));
        const auto scheme = text_at(handler, "scheme");
        if (scheme != "HTTP" && scheme != "HTTPS")
            causes.push_back(errors::not_supported(path + ".scheme", quote(scheme), R"("HTTP", "HTTPS")"));
    }
    validate_port(find_at(handler, "port"), path + ".port", causes);
}

void check_handlers(const json::value& owner, const std::string& path, std::vector<status_cause>& causes)
{
    bool has_one = false;
    for (const std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
        const auto* handler = find_at(owner, kind);
        if (!handler || !handler->is_object()) continue;
        const auto at = path + "." + std::string(kind);
        if (has_one)
            causes.push_back(forbidden_field(at, "may not specify more than 1 handler type"));
        else
            check_handler(kind, *handler, at, causes);
        has_one = true;
    }
    if (!has_one) causes.push_back(required(path, "must specify a handler type"));
}

void check_probe(const json::value& probe, bool is_readiness, const std::string& path,
                 std::vector<status_cause>& causes)
{
    check_handlers(probe, path, causes);
    for (const std::string_view member :
         {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"})
        if (const auto number = int_at(probe, member); number < 0)
            causes.push_back(invalid_value(path + "." + std::string(member), std::to_string(number),
                                           "must be greater than or equal to 0"));
    if (const auto number = int_at(probe, "successThreshold"); !is_readiness && number != 1 && number >= 0)
        causes.push_back(invalid_value(path + ".successThreshold", std::to_string(number), "must be 1"));
    const auto field = path + ".terminationGracePeriodSeconds";
    const auto* grace = find_at(probe, "terminationGracePeriodSeconds");
    if (!grace || grace->is_null()) return;
    if (is_readiness)
        causes.push_back(invalid_value(field, to_text(*grace), "must not be set for readinessProbes"));
    else if (int_at(probe, "terminationGracePeriodSeconds") <= 0)
        causes.push_back(invalid_value(field, to_text(*grace), "must be greater than 0"));
}

} // namespace

void validate_probes(const json::value& container, bool is_short_lived, const std::string& path,
                     std::vector<status_cause>& causes)
{
    const auto refuse = [&](std::string_view member) {
        causes.push_back(forbidden_field(path + "." + std::string(member),
                                         "may not be set for init containers without restartPolicy=Always"));
    };
    for (const std::string_view member : {"livenessProbe", "readinessProbe", "startupProbe"})
        if (const auto* probe = find_at(container, member); probe && probe->is_object()) {
            if (is_short_lived)
                refuse(member);
            else
                check_probe(*probe, member == "readinessProbe", path + "." + std::string(member), causes);
        }
    const auto* lifecycle = find_at(container, "lifecycle");
    if (!lifecycle || !lifecycle->is_object()) return;
    if (is_short_lived) {
        refuse("lifecycle");
        return;
    }
    for (const std::string_view hook : {"postStart", "preStop"})
        if (const auto* handler = find_at(*lifecycle, hook); handler && handler->is_object())
            check_handlers(*handler, path + ".lifecycle." + std::string(hook), causes);
}

} // namespace kubecoro::apiserver
