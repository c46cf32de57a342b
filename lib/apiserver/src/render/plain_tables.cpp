#include "render/plain_tables.hpp"

#include "render/json_text.hpp"

#include <algorithm>
#include <string>

namespace kubecoro::apiserver {
namespace {

/// Computes a cell from the whole object.
using cell_function = json::value (*)(const json::value& body);

struct column
{
    std::string_view name;
    /// The value to show; unused with a function.
    std::string_view path = {};
    cell_function made = nullptr;
    /// 1: with -o wide only.
    int priority = 0;
};

struct table
{
    std::string_view resource;
    /// Between the name and what follows the age.
    std::vector<column> columns;
};

constexpr column age{"Age"};
constexpr column created{"Created At", "metadata.creationTimestamp"};

std::string joined(const json::array* items, std::string_view member)
{
    std::string out;
    if (items)
        for (const auto& item : *items)
            out += (out.empty() ? "" : ",") + (member.empty() ? scalar_text(item) : std::string(text_at(item, member)));
    return out;
}

json::value shown(std::string_view text, std::string_view otherwise = "<none>")
{
    return json::value(text.empty() ? otherwise : text);
}

json::value count(const json::array* items) { return static_cast<std::int64_t>(items ? items->size() : 0); }

json::value labels_of(const json::object* labels)
{
    std::string out;
    if (labels)
        for (const auto& [key, value] : *labels)
            out += (out.empty() ? "" : ",") + std::string(key) + "=" + scalar_text(value);
    return shown(out);
}

/// "ReadWriteOnce" as "RWO".
json::value access_modes(const json::value& body)
{
    const auto* modes = array_at(body, "status.accessModes");
    if (!modes) modes = array_at(body, "spec.accessModes");
    std::string out;
    if (modes)
        for (const auto& mode : *modes) {
            out += out.empty() ? "" : ",";
            for (const char c : scalar_text(mode))
                if (c >= 'A' && c <= 'Z') out += c;
        }
    return json::value(std::string_view(out));
}

json::value claim(const json::value& body)
{
    const auto name = text_at(body, "spec.claimRef.name");
    if (name.empty()) return "";
    return json::value(
        std::string_view(std::string(text_at(body, "spec.claimRef.namespace")) + "/" + std::string(name)));
}

json::value endpoint_addresses(const json::value& body)
{
    std::string out;
    int more = 0;
    if (const auto* subsets = array_at(body, "subsets"))
        for (const auto& subset : *subsets) {
            const auto* ports = array_at(subset, "ports");
            const auto* addresses = array_at(subset, "addresses");
            for (std::size_t i = 0; addresses && i < addresses->size(); ++i)
                for (std::size_t p = 0; p < std::max<std::size_t>(ports ? ports->size() : 0, 1); ++p) {
                    if (std::count(out.begin(), out.end(), ',') >= 2) {
                        ++more;
                        continue;
                    }
                    out += (out.empty() ? "" : ",") + std::string(text_at((*addresses)[i], "ip"));
                    if (ports && p < ports->size()) out += ":" + std::to_string(int_at((*ports)[p], "port"));
                }
        }
    if (more > 0) out += " + " + std::to_string(more) + " more...";
    return shown(out);
}

json::value slice_ports(const json::value& body)
{
    std::string out;
    if (const auto* ports = array_at(body, "ports"))
        for (const auto& p : *ports) out += (out.empty() ? "" : ",") + std::to_string(int_at(p, "port"));
    return shown(out, "<unset>");
}

json::value slice_addresses(const json::value& body)
{
    std::string out;
    if (const auto* endpoints = array_at(body, "endpoints"))
        for (const auto& e : *endpoints) {
            const auto addresses = joined(array_at(e, "addresses"), {});
            if (!addresses.empty()) out += (out.empty() ? "" : ",") + addresses;
        }
    return shown(out, "<unset>");
}

json::value ingress_hosts(const json::value& body)
{
    std::string out;
    if (const auto* rules = array_at(body, "spec.rules"))
        for (const auto& rule : *rules)
            if (const auto host = text_at(rule, "host"); !host.empty())
                out += (out.empty() ? "" : ",") + std::string(host);
    return shown(out, "*");
}

json::value ingress_address(const json::value& body)
{
    std::string out;
    if (const auto* addresses = array_at(body, "status.loadBalancer.ingress"))
        for (const auto& a : *addresses) {
            const auto ip = text_at(a, "ip");
            out += (out.empty() ? "" : ",") + std::string(ip.empty() ? text_at(a, "hostname") : ip);
        }
    return json::value(std::string_view(out));
}

json::value ingress_ports(const json::value& body)
{
    const auto* tls = array_at(body, "spec.tls");
    return tls && !tls->empty() ? "80, 443" : "80";
}

json::value scale_target(const json::value& body)
{
    return json::value(std::string_view(std::string(text_at(body, "spec.scaleTargetRef.kind")) + "/" +
                                        std::string(text_at(body, "spec.scaleTargetRef.name"))));
}

/// Targets of resources by their utilization, as far as no metrics server is asked: "cpu: <unknown>/80%".
json::value scale_metrics(const json::value& body)
{
    std::string out;
    if (const auto* metrics = array_at(body, "spec.metrics"))
        for (const auto& metric : *metrics) {
            const auto name = text_at(metric, "resource.name");
            const auto wanted = int_at(metric, "resource.target.averageUtilization");
            out += (out.empty() ? "" : ", ") + std::string(name.empty() ? text_at(metric, "type") : name) +
                   ": <unknown>/" + (wanted ? std::to_string(wanted) + "%" : std::string("<unknown>"));
        }
    return shown(out);
}

json::value disruption_limit(const json::value& body, std::string_view path)
{
    const auto* limit = find_at(body, path);
    return json::value(std::string_view(limit && !limit->is_null() ? scalar_text(*limit) : "N/A"));
}

json::value least_available(const json::value& body) { return disruption_limit(body, "spec.minAvailable"); }
json::value most_unavailable(const json::value& body) { return disruption_limit(body, "spec.maxUnavailable"); }

json::value role(const json::value& body)
{
    return json::value(std::string_view(std::string(text_at(body, "roleRef.kind")) + "/" +
                                        std::string(text_at(body, "roleRef.name"))));
}

std::string subjects(const json::value& body, std::string_view kind)
{
    std::string out;
    if (const auto* all = array_at(body, "subjects"))
        for (const auto& s : *all) {
            if (text_at(s, "kind") != kind) continue;
            out += out.empty() ? "" : ", ";
            if (kind == "ServiceAccount") out += std::string(text_at(s, "namespace")) + "/";
            out += text_at(s, "name");
        }
    return out;
}

json::value users(const json::value& body) { return json::value(std::string_view(subjects(body, "User"))); }
json::value groups(const json::value& body) { return json::value(std::string_view(subjects(body, "Group"))); }
json::value accounts(const json::value& body)
{
    return json::value(std::string_view(subjects(body, "ServiceAccount")));
}

json::value flag(const json::value& body, std::string_view path)
{
    const auto* found = find_at(body, path);
    return found && found->is_bool() && found->get_bool();
}

/// The last condition of a signing request: "Approved,Issued".
json::value signing_condition(const json::value& body)
{
    auto out = joined(array_at(body, "status.conditions"), "type");
    if (!text_at(body, "status.certificate").empty()) out += (out.empty() ? "" : ",") + std::string("Issued");
    return shown(out, "Pending");
}

json::value resource_list(const json::value& body, std::string_view prefix, bool with)
{
    std::string out;
    if (const auto* hard = object_at(body, "status.hard"))
        for (const auto& [key, limit] : *hard) {
            if (std::string_view(key).starts_with(prefix) != with) continue;
            const auto* used = object_at(body, "status.used");
            const auto* value = used ? used->if_contains(key) : nullptr;
            out += (out.empty() ? "" : ", ") + std::string(key) + ": " + (value ? scalar_text(*value) : "0") + "/" +
                   scalar_text(limit);
        }
    return json::value(std::string_view(out));
}

const std::vector<table>& tables()
{
    static const std::vector<table> all{
        {"endpoints", {{"Endpoints", {}, endpoint_addresses}, age}},
        {"limitranges", {created}},
        {"persistentvolumes",
         {{"Capacity", "spec.capacity.storage"},
          {"Access Modes", {}, access_modes},
          {"Reclaim Policy", "spec.persistentVolumeReclaimPolicy"},
          {"Status", "status.phase"},
          {"Claim", {}, claim},
          {"StorageClass", "spec.storageClassName"},
          {"VolumeAttributesClass",
           {},
           [](const auto& b) { return shown(text_at(b, "spec.volumeAttributesClassName"), "<unset>"); }},
          {"Reason", "status.reason"},
          age,
          {"VolumeMode", "spec.volumeMode", nullptr, 1}}},
        {"persistentvolumeclaims",
         {{"Status", "status.phase"},
          {"Volume", "spec.volumeName"},
          {"Capacity", "status.capacity.storage"},
          {"Access Modes", {}, access_modes},
          {"StorageClass", "spec.storageClassName"},
          {"VolumeAttributesClass",
           {},
           [](const auto& b) { return shown(text_at(b, "spec.volumeAttributesClassName"), "<unset>"); }},
          age,
          {"VolumeMode", "spec.volumeMode", nullptr, 1}}},
        {"podtemplates",
         {{"Containers",
           {},
           [](const auto& b) { return shown(joined(array_at(b, "template.spec.containers"), "name")); }},
          {"Images", {}, [](const auto& b) { return shown(joined(array_at(b, "template.spec.containers"), "image")); }},
          {"Pod Labels", {}, [](const auto& b) { return labels_of(object_at(b, "template.metadata.labels")); }}}},
        {"replicationcontrollers",
         {{"Desired", {}, [](const auto& b) { return json::value(int_at(b, "spec.replicas")); }},
          {"Current", {}, [](const auto& b) { return json::value(int_at(b, "status.replicas")); }},
          {"Ready", {}, [](const auto& b) { return json::value(int_at(b, "status.readyReplicas")); }},
          age,
          {"Selector", {}, [](const auto& b) { return labels_of(object_at(b, "spec.selector")); }, 1}}},
        {"resourcequotas",
         {{"Request", {}, [](const auto& b) { return resource_list(b, "limits.", false); }},
          {"Limit", {}, [](const auto& b) { return resource_list(b, "limits.", true); }},
          age}},
        {"controllerrevisions.apps",
         {{"Controller",
           {},
           [](const auto& b) { return shown(joined(array_at(b, "metadata.ownerReferences"), "name")); }},
          {"Revision", {}, [](const auto& b) { return json::value(int_at(b, "revision")); }},
          age}},
        {"horizontalpodautoscalers.autoscaling",
         {{"Reference", {}, scale_target},
          {"Targets", {}, scale_metrics},
          {"MinPods",
           {},
           [](const auto& b) {
               return json::value(std::string_view(std::to_string(int_at(b, "spec.minReplicas", 1))));
           }},
          {"MaxPods", {}, [](const auto& b) { return json::value(int_at(b, "spec.maxReplicas")); }},
          {"Replicas", {}, [](const auto& b) { return json::value(int_at(b, "status.currentReplicas")); }},
          age}},
        {"endpointslices.discovery.k8s.io",
         {{"AddressType", "addressType"}, {"Ports", {}, slice_ports}, {"Endpoints", {}, slice_addresses}, age}},
        {"ingresses.networking.k8s.io",
         {{"Class", {}, [](const auto& b) { return shown(text_at(b, "spec.ingressClassName")); }},
          {"Hosts", {}, ingress_hosts},
          {"Address", {}, ingress_address},
          {"Ports", {}, ingress_ports},
          age}},
        {"ingressclasses.networking.k8s.io",
         {{"Controller", "spec.controller"},
          {"Parameters", {}, [](const auto& b) { return shown(text_at(b, "spec.parameters.name")); }},
          age}},
        {"networkpolicies.networking.k8s.io",
         {{"Pod-Selector", {}, [](const auto& b) { return labels_of(object_at(b, "spec.podSelector.matchLabels")); }},
          age}},
        {"runtimeclasses.node.k8s.io", {{"Handler", "handler"}, age}},
        {"poddisruptionbudgets.policy",
         {{"Min Available", {}, least_available},
          {"Max Unavailable", {}, most_unavailable},
          {"Allowed Disruptions",
           {},
           [](const auto& b) { return json::value(int_at(b, "status.disruptionsAllowed")); }},
          age}},
        {"clusterroles.rbac.authorization.k8s.io", {created}},
        {"roles.rbac.authorization.k8s.io", {created}},
        {"clusterrolebindings.rbac.authorization.k8s.io",
         {{"Role", {}, role},
          age,
          {"Users", {}, users, 1},
          {"Groups", {}, groups, 1},
          {"ServiceAccounts", {}, accounts, 1}}},
        {"rolebindings.rbac.authorization.k8s.io",
         {{"Role", {}, role},
          age,
          {"Users", {}, users, 1},
          {"Groups", {}, groups, 1},
          {"ServiceAccounts", {}, accounts, 1}}},
        {"priorityclasses.scheduling.k8s.io",
         {{"Value", {}, [](const auto& b) { return json::value(int_at(b, "value")); }},
          {"Global-Default", {}, [](const auto& b) { return flag(b, "globalDefault"); }},
          age,
          {"PreemptionPolicy", "preemptionPolicy"}}},
        {"storageclasses.storage.k8s.io",
         {{"Provisioner", "provisioner"},
          {"ReclaimPolicy", "reclaimPolicy"},
          {"VolumeBindingMode", "volumeBindingMode"},
          {"AllowVolumeExpansion", {}, [](const auto& b) { return flag(b, "allowVolumeExpansion"); }},
          age}},
        {"csidrivers.storage.k8s.io",
         {{"AttachRequired", {}, [](const auto& b) { return flag(b, "spec.attachRequired"); }},
          {"PodInfoOnMount", {}, [](const auto& b) { return flag(b, "spec.podInfoOnMount"); }},
          {"StorageCapacity", {}, [](const auto& b) { return flag(b, "spec.storageCapacity"); }},
          {"Modes", {}, [](const auto& b) { return shown(joined(array_at(b, "spec.volumeLifecycleModes"), {})); }},
          age}},
        {"csinodes.storage.k8s.io",
         {{"Drivers", {}, [](const auto& b) { return count(array_at(b, "spec.drivers")); }}, age}},
        {"volumeattachments.storage.k8s.io",
         {{"Attacher", "spec.attacher"},
          {"PV", "spec.source.persistentVolumeName"},
          {"Node", "spec.nodeName"},
          {"Attached", {}, [](const auto& b) { return flag(b, "status.attached"); }},
          age}},
        {"volumeattributesclasses.storage.k8s.io", {{"DriverName", "driverName"}, age}},
        {"mutatingwebhookconfigurations.admissionregistration.k8s.io",
         {{"Webhooks", {}, [](const auto& b) { return count(array_at(b, "webhooks")); }}, age}},
        {"validatingwebhookconfigurations.admissionregistration.k8s.io",
         {{"Webhooks", {}, [](const auto& b) { return count(array_at(b, "webhooks")); }}, age}},
        {"validatingadmissionpolicies.admissionregistration.k8s.io",
         {{"Validations", {}, [](const auto& b) { return count(array_at(b, "spec.validations")); }},
          {"ParamKind", {}, [](const auto& b) { return shown(text_at(b, "spec.paramKind.kind"), "<unset>"); }},
          age}},
        {"validatingadmissionpolicybindings.admissionregistration.k8s.io",
         {{"PolicyName", "spec.policyName"},
          {"ParamRef", {}, [](const auto& b) { return shown(text_at(b, "spec.paramRef.name"), "<unset>"); }},
          age}},
        {"apiservices.apiregistration.k8s.io",
         {{"Service", {}, [](const auto& b) { return shown(text_at(b, "spec.service.name"), "Local"); }}, age}},
        {"certificatesigningrequests.certificates.k8s.io",
         {age,
          {"SignerName", "spec.signerName"},
          {"Requestor", "spec.username"},
          {"RequestedDuration",
           {},
           [](const auto& b) {
               const auto seconds = int_at(b, "spec.expirationSeconds");
               return shown(seconds ? std::to_string(seconds) + "s" : std::string());
           }},
          {"Condition", {}, signing_condition}}},
        {"resourceslices.resource.k8s.io",
         {{"Node", "spec.nodeName"}, {"Driver", "spec.driver"}, {"Pool", "spec.pool.name"}, age}},
        {"flowschemas.flowcontrol.apiserver.k8s.io",
         {{"PriorityLevel", "spec.priorityLevelConfiguration.name"},
          {"MatchingPrecedence", {}, [](const auto& b) { return json::value(int_at(b, "spec.matchingPrecedence")); }},
          {"DistinguisherMethod", {}, [](const auto& b) { return shown(text_at(b, "spec.distinguisherMethod.type")); }},
          age}},
        {"prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", {{"Type", "spec.type"}, age}},
    };
    return all;
}

const std::vector<column>& columns_of(const resource_info& info)
{
    static const std::vector<column> others{age};
    const auto name = info.display_name();
    for (const auto& each : tables())
        if (each.resource == name) return each.columns;
    return others;
}

} // namespace

std::vector<table_column> plain_columns(const resource_info& info)
{
    std::vector<table_column> out{{"Name", "string", "name"}};
    for (const auto& c : columns_of(info)) out.push_back({std::string(c.name), "string", "", c.priority});
    return out;
}

json::array plain_cells(const resource_info& info, const json::value& body, std::string_view age_text)
{
    auto name = std::string(text_at(body, "metadata.name"));
    const auto* annotations = object_at(body, "metadata.annotations");
    const auto* is_default =
        annotations ? annotations->if_contains("storageclass.kubernetes.io/is-default-class") : nullptr;
    if (is_default && scalar_text(*is_default) == "true" && info.plural == "storageclasses") name += " (default)";
    json::array out{json::value(std::string_view(name))};
    for (const auto& c : columns_of(info)) {
        if (c.made)
            out.push_back(c.made(body));
        else
            out.push_back(json::value(c.path.empty() ? age_text : text_at(body, c.path)));
    }
    return out;
}

} // namespace kubecoro::apiserver
