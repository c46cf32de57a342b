#include "render/plain_cells.hpp"
#include "render/table.hpp"
#include "schema/kind_validation.hpp"
#include "text/json_path.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/detail/http_types.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

/// As Go prints a number: with an exponent from a million on.
std::string number_text(double number)
{
    constexpr double least = 1e-4, most = 1e6;
    const auto size = std::fabs(number);
    const bool scientific = size != 0 && (size < least || size >= most);
    std::array<char, 64> buffer;
    const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                         scientific ? std::chars_format::scientific : std::chars_format::fixed);
    return {buffer.data(), end};
}

std::string text_of(const json::value& v)
{
    if (v.is_null()) return "<no value>";
    if (v.is_double()) return number_text(v.get_double());
    return v.is_string() ? std::string(v.get_string()) : to_text(v);
}

json::value whole_number(const json::value& v)
{
    if (!v.is_double()) return v;
    constexpr double beyond = 9223372036854775808.0;
    const auto number = std::trunc(v.get_double());
    // Go shows for a number that is too large whatever the processor makes of it.
    return std::fabs(number) < beyond ? static_cast<std::int64_t>(number) : std::numeric_limits<std::int64_t>::min();
}

std::string age_text(std::string_view text, wall_time now)
{
    wall_time time;
    if (text.empty()) return "<unknown>";
    if (!parse_time(text, time)) return "<invalid>";
    return human_duration(std::chrono::duration_cast<std::chrono::seconds>(now - time));
}

/** Returns a value as a cell of a column of that type: a text for `string`, whatever the value is, the age for `date`, and null for
    values that do not fit the type.
    @param found  Null: there is no value. */
json::value column_cell(std::string_view type, const json::value* found, wall_time now)
{
    if (!found) return nullptr;
    if (type == "string") return json::value(std::string_view(text_of(*found)));
    if (type == "boolean" && found->is_bool()) return *found;
    if (type == "integer" && found->is_number()) return whole_number(*found);
    if (type == "number" && found->is_number()) return *found;
    if (type == "date" && found->is_string()) return json::value(std::string_view(age_text(found->get_string(), now)));
    return nullptr;
}

} // namespace

std::string human_duration(std::chrono::seconds d)
{
    using namespace std::chrono;
    const auto s = d.count();
    if (s < -1) return "<invalid>";
    if (s < 0) return "0s";
    if (s < 60 * 2) return std::to_string(s) + "s";
    const auto two = [](std::int64_t big, const char* big_unit, std::int64_t small, const char* small_unit) {
        auto text = std::to_string(big) + big_unit;
        if (small != 0) text += std::to_string(small) + small_unit;
        return text;
    };
    const auto minutes_ = s / 60, hours_ = s / 3600, days_ = hours_ / 24;
    if (minutes_ < 10) return two(minutes_, "m", s % 60, "s");
    if (minutes_ < 60 * 3) return std::to_string(minutes_) + "m";
    if (hours_ < 8) return two(hours_, "h", minutes_ % 60, "m");
    if (hours_ < 48) return std::to_string(hours_) + "h";
    if (days_ < 8) return two(days_, "d", hours_ % 24, "h");
    if (days_ < 365 * 2) return std::to_string(days_) + "d";
    if (days_ < 365 * 8) return two(days_ / 365, "y", days_ % 365, "d");
    return std::to_string(days_ / 365) + "y";
}

namespace {

constexpr std::string_view none = "<none>";

json::value or_none(std::string_view text) { return json::value(text.empty() ? none : text); }

json::value text_cell(std::string_view text) { return json::value(text); }

std::string age_of(std::string_view timestamp, wall_time now)
{
    wall_time t;
    if (!parse_time(timestamp, t)) return "<unknown>";
    return human_duration(std::chrono::duration_cast<std::chrono::seconds>(now - t));
}

std::size_t size_at(const json::value& body, std::string_view path)
{
    const auto* found = find_at(body, path);
    if (!found) return 0;
    if (found->is_object()) return found->get_object().size();
    return found->is_array() ? found->get_array().size() : 0;
}

std::string joined(const json::array* items, std::string_view member)
{
    std::string out;
    if (items)
        for (const auto& item : *items) {
            if (!out.empty()) out += ',';
            out += text_at(item, member);
        }
    return out;
}

std::string selector_text(const json::object* labels)
{
    std::string out;
    if (labels)
        for (const auto& [key, value] : *labels) {
            if (!out.empty()) out += ',';
            out += std::string(key) + "=" + scalar_text(value);
        }
    return out;
}

json::array pod_cells(const json::value& body, const std::string& age, wall_time now)
{
    const auto p = summarise_pod(body, now);
    return {text_cell(text_at(body, "metadata.name")),
            text_cell(p.ready),
            text_cell(p.status),
            text_cell(p.restarts),
            text_cell(age),
            or_none(text_at(body, "status.podIP")),
            or_none(text_at(body, "spec.nodeName")),
            or_none(text_at(body, "status.nominatedNodeName")),
            or_none(p.gates)};
}

std::string fraction(std::int64_t part, std::int64_t whole)
{
    return std::to_string(part) + "/" + std::to_string(whole);
}

json::array deployment_cells(const json::value& body, const std::string& age)
{
    const auto* containers = array_at(body, "spec.template.spec.containers");
    return {text_cell(text_at(body, "metadata.name")),
            text_cell(fraction(int_at(body, "status.readyReplicas"), int_at(body, "spec.replicas"))),
            int_at(body, "status.updatedReplicas"),
            int_at(body, "status.availableReplicas"),
            text_cell(age),
            text_cell(joined(containers, "name")),
            text_cell(joined(containers, "image")),
            text_cell(selector_text(object_at(body, "spec.selector.matchLabels")))};
}

json::array replica_set_cells(const json::value& body, const std::string& age)
{
    const auto* containers = array_at(body, "spec.template.spec.containers");
    return {text_cell(text_at(body, "metadata.name")),
            int_at(body, "spec.replicas"),
            int_at(body, "status.replicas"),
            int_at(body, "status.readyReplicas"),
            text_cell(age),
            text_cell(joined(containers, "name")),
            text_cell(joined(containers, "image")),
            text_cell(selector_text(object_at(body, "spec.selector.matchLabels")))};
}

json::array stateful_set_cells(const json::value& body, const std::string& age)
{
    const auto* containers = array_at(body, "spec.template.spec.containers");
    return {text_cell(text_at(body, "metadata.name")),
            text_cell(fraction(int_at(body, "status.readyReplicas"), int_at(body, "spec.replicas"))), text_cell(age),
            text_cell(joined(containers, "name")), text_cell(joined(containers, "image"))};
}

json::array daemon_set_cells(const json::value& body, const std::string& age)
{
    const auto* containers = array_at(body, "spec.template.spec.containers");
    return {text_cell(text_at(body, "metadata.name")),
            int_at(body, "status.desiredNumberScheduled"),
            int_at(body, "status.currentNumberScheduled"),
            int_at(body, "status.numberReady"),
            int_at(body, "status.updatedNumberScheduled"),
            int_at(body, "status.numberAvailable"),
            or_none(selector_text(object_at(body, "spec.template.spec.nodeSelector"))),
            text_cell(age),
            text_cell(joined(containers, "name")),
            text_cell(joined(containers, "image")),
            text_cell(selector_text(object_at(body, "spec.selector.matchLabels")))};
}

std::string condition_status(const json::value& body, std::string_view type)
{
    if (const auto* conditions = array_at(body, "status.conditions"))
        for (const auto& c : *conditions)
            if (text_at(c, "type") == type) return std::string(text_at(c, "status"));
    return {};
}

json::array node_cells(const json::value& body, const std::string& age)
{
    const auto ready = condition_status(body, "Ready");
    std::string status = ready.empty() ? "Unknown" : ready == "True" ? "Ready" : "NotReady";
    const auto* unschedulable = find_at(body, "spec.unschedulable");
    if (unschedulable && unschedulable->is_bool() && unschedulable->get_bool()) status += ",SchedulingDisabled";
    std::set<std::string> all_roles;
    constexpr std::string_view role_prefix = "node-role.kubernetes.io/";
    if (const auto* labels = object_at(body, "metadata.labels"))
        for (const auto& [key, value] : *labels) {
            const std::string_view label = key;
            if (label.starts_with(role_prefix)) all_roles.emplace(label.substr(role_prefix.size()));
            if (label == "kubernetes.io/role") all_roles.insert(scalar_text(value));
        }
    std::string roles;
    for (const auto& role : all_roles)
        if (!role.empty()) roles += (roles.empty() ? "" : ",") + role;
    std::string internal, external;
    if (const auto* addresses = array_at(body, "status.addresses"))
        for (const auto& a : *addresses) {
            if (text_at(a, "type") == "InternalIP" && internal.empty()) internal = text_at(a, "address");
            if (text_at(a, "type") == "ExternalIP" && external.empty()) external = text_at(a, "address");
        }
    const auto known = [](std::string_view text) { return text_cell(text.empty() ? "<unknown>" : text); };
    return {text_cell(text_at(body, "metadata.name")),
            text_cell(status),
            or_none(roles),
            text_cell(age),
            text_cell(text_at(body, "status.nodeInfo.kubeletVersion")),
            or_none(internal),
            or_none(external),
            known(text_at(body, "status.nodeInfo.osImage")),
            known(text_at(body, "status.nodeInfo.kernelVersion")),
            known(text_at(body, "status.nodeInfo.containerRuntimeVersion"))};
}

/// Returns the column EXTERNAL-IP of a service: its load balancer's addresses, its external IPs, or its external name.
std::string external_addresses(const json::value& service)
{
    const auto type = text_at(service, "spec.type");
    if (type == "ExternalName") return std::string(text_at(service, "spec.externalName"));
    std::set<std::string> of_balancer;
    if (const auto* ingress = array_at(service, "status.loadBalancer.ingress"); ingress && type == "LoadBalancer")
        for (const auto& point : *ingress) {
            const auto ip = text_at(point, "ip");
            of_balancer.emplace(ip.empty() ? text_at(point, "hostname") : ip);
        }
    std::string out;
    const auto add = [&](const std::string& address) { out += (out.empty() ? "" : ",") + address; };
    for (const auto& address : of_balancer)
        if (!address.empty()) add(address);
    if (const auto* given = array_at(service, "spec.externalIPs"))
        for (const auto& address : *given) add(scalar_text(address));
    return out.empty() && type == "LoadBalancer" ? "<pending>" : out;
}

json::array service_cells(const json::value& body, const std::string& age)
{
    std::string ports;
    if (const auto* list = array_at(body, "spec.ports"))
        for (const auto& p : *list) {
            if (!ports.empty()) ports += ',';
            ports += std::to_string(int_at(p, "port"));
            if (const auto node_port = int_at(p, "nodePort")) ports += ":" + std::to_string(node_port);
            ports += "/" + std::string(text_at(p, "protocol"));
        }
    return {text_cell(text_at(body, "metadata.name")),
            text_cell(text_at(body, "spec.type")),
            or_none(text_at(body, "spec.clusterIP")),
            or_none(external_addresses(body)),
            or_none(ports),
            text_cell(age),
            or_none(selector_text(object_at(body, "spec.selector")))};
}

/// Its first condition, in the order of kube-apiserver.
std::string job_status(const json::value& body)
{
    for (const std::string_view type : {"Complete", "Failed"})
        if (condition_status(body, type) == "True") return std::string(type);
    if (find_at(body, "metadata.deletionTimestamp")) return "Terminating";
    for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
        if (condition_status(body, type) == "True") return std::string(type);
    return "Running";
}

std::string completions_of_job(const json::value& body)
{
    const auto succeeded = int_at(body, "status.succeeded");
    if (find_at(body, "spec.completions")) return fraction(succeeded, int_at(body, "spec.completions"));
    const auto parallelism = int_at(body, "spec.parallelism");
    return fraction(succeeded, 1) + (parallelism > 1 ? " of " + std::to_string(parallelism) : "");
}

json::array job_cells(const json::value& body, const std::string& age, wall_time now)
{
    std::string took;
    wall_time start, end = now;
    if (parse_time(text_at(body, "status.startTime"), start)) {
        parse_time(text_at(body, "status.completionTime"), end);
        took = human_duration(std::chrono::duration_cast<std::chrono::seconds>(end - start));
    }
    const auto* containers = array_at(body, "spec.template.spec.containers");
    return {text_cell(text_at(body, "metadata.name")),
            text_cell(job_status(body)),
            text_cell(completions_of_job(body)),
            text_cell(took),
            text_cell(age),
            text_cell(joined(containers, "name")),
            text_cell(joined(containers, "image")),
            text_cell(selector_text(object_at(body, "spec.selector.matchLabels")))};
}

json::array cron_job_cells(const json::value& body, const std::string& age, wall_time now)
{
    const auto* suspended = find_at(body, "spec.suspend");
    const auto last = text_at(body, "status.lastScheduleTime");
    const auto zone = text_at(body, "spec.timeZone");
    const auto* containers = array_at(body, "spec.jobTemplate.spec.template.spec.containers");
    return {text_cell(text_at(body, "metadata.name")),
            text_cell(text_at(body, "spec.schedule")),
            or_none(zone),
            text_cell(suspended && suspended->is_bool() && suspended->get_bool() ? "True" : "False"),
            static_cast<std::int64_t>(size_at(body, "status.active")),
            text_cell(last.empty() ? std::string(none) : age_of(last, now)),
            text_cell(age),
            text_cell(joined(containers, "name")),
            text_cell(joined(containers, "image")),
            cells::selector(body, "spec.jobTemplate.spec.selector")};
}

/// The component and the host, or those of the fields that came after them.
std::string source_of_event(const json::value& body)
{
    auto component = text_at(body, "source.component");
    auto host = text_at(body, "source.host");
    if (component.empty()) component = text_at(body, "reportingComponent");
    if (host.empty()) host = text_at(body, "reportingInstance");
    return std::string(component) + (host.empty() ? "" : ", ") + std::string(host);
}

json::array event_cells(const json::value& body, wall_time now)
{
    const auto time = [&](std::string_view path) { return text_at(body, path); };
    const auto first = time("firstTimestamp").empty() ? time("eventTime") : time("firstTimestamp");
    auto last = time("lastTimestamp").empty() ? first : time("lastTimestamp");
    auto count = std::max<std::int64_t>(int_at(body, "count"), 1);
    if (object_at(body, "series")) {
        last = time("series.lastObservedTime");
        count = int_at(body, "series.count");
    }
    auto about = std::string(text_at(body, "involvedObject.kind"));
    for (auto& c : about) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    const auto name = text_at(body, "involvedObject.name");
    if (!name.empty()) about += "/" + std::string(name);
    auto message = text_at(body, "message");
    const auto begin = message.find_first_not_of(" \t\r\n");
    message = begin == message.npos ? "" : message.substr(begin, message.find_last_not_of(" \t\r\n") - begin + 1);
    return {text_cell(age_of(last, now)),
            text_cell(text_at(body, "type")),
            text_cell(text_at(body, "reason")),
            text_cell(about),
            text_cell(text_at(body, "involvedObject.fieldPath")),
            text_cell(source_of_event(body)),
            text_cell(message),
            text_cell(age_of(first, now)),
            count,
            text_cell(text_at(body, "metadata.name"))};
}

} // namespace

json::array table_cells(const resource_info& info, const std::vector<table_column>& columns, const json::value& body,
                        wall_time now)
{
    const auto created = text_at(body, "metadata.creationTimestamp");
    const auto age = age_of(created, now);
    const auto name = text_at(body, "metadata.name");
    if (info.custom) {
        json::array cells{text_cell(name)};
        for (std::size_t i = 1; i < columns.size(); ++i) {
            const auto* found = columns[i].path ? columns[i].path->find(body) : nullptr;
            cells.push_back(column_cell(columns[i].type, found, now));
        }
        return cells;
    }
    switch (info.behaves) {
    case builtin::pod:
        return pod_cells(body, age, now);
    case builtin::deployment:
        return deployment_cells(body, age);
    case builtin::replica_set:
        return replica_set_cells(body, age);
    case builtin::stateful_set:
        return stateful_set_cells(body, age);
    case builtin::daemon_set:
        return daemon_set_cells(body, age);
    case builtin::job:
        return job_cells(body, age, now);
    case builtin::cron_job:
        return cron_job_cells(body, age, now);
    case builtin::node:
        return node_cells(body, age);
    case builtin::service:
        return service_cells(body, age);
    case builtin::event:
        return event_cells(info.group.empty() ? body : event_form(body, true), now);
    case builtin::config_map:
        return {text_cell(name), static_cast<std::int64_t>(size_at(body, "data") + size_at(body, "binaryData")),
                text_cell(age)};
    case builtin::secret:
        return {text_cell(name), text_cell(text_at(body, "type")), static_cast<std::int64_t>(size_at(body, "data")),
                text_cell(age)};
    case builtin::service_account:
        return {text_cell(name), text_cell(age)};
    case builtin::namespace_:
        return {text_cell(name), text_cell(text_at(body, "status.phase")), text_cell(age)};
    case builtin::lease:
        return {text_cell(name), text_cell(text_at(body, "spec.holderIdentity")), text_cell(age)};
    case builtin::autoscaler:
    case builtin::disruption_budget:
    case builtin::limit:
    case builtin::none:
    case builtin::persistent_volume_claim:
    case builtin::priority_class:
    case builtin::review:
    case builtin::role:
    case builtin::role_binding:
        return plain_cells(info, body, age);
    case builtin::custom_resource_definition:
        break;
    }
    return {text_cell(name), text_cell(created)};
}

} // namespace kubecoro::apiserver
