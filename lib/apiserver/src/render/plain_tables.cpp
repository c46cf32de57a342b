#include "render/plain_cells.hpp"

#include "text/json_text.hpp"

#include <string>

namespace kubecoro::apiserver {
namespace {

using namespace cells;

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
    std::string_view type = "string";
};

struct table
{
    std::string_view resource;
    /// Between the name and what follows the age.
    std::vector<column> columns;
};

constexpr column age{"Age"};
constexpr column created{"Created At", "metadata.creationTimestamp", nullptr, 0, "date"};

const std::vector<table>& tables()
{
    static const std::vector<table> all{
        {"endpoints", {{"Endpoints", {}, endpoint_addresses}, age}},
        {"limitranges", {created}},
        {"persistentvolumes",
         {{"Capacity", "spec.capacity.storage"},
          {"Access Modes", {}, volume_modes},
          {"Reclaim Policy", "spec.persistentVolumeReclaimPolicy"},
          {"Status", {}, phase},
          {"Claim", {}, claim},
          {"StorageClass", "spec.storageClassName"},
          {"VolumeAttributesClass", {}, attributes_class},
          {"Reason", "status.reason"},
          age,
          {"VolumeMode", "spec.volumeMode", nullptr, 1}}},
        {"persistentvolumeclaims",
         {{"Status", {}, phase},
          {"Volume", "spec.volumeName"},
          {"Capacity", {}, claim_capacity},
          {"Access Modes", {}, claim_modes},
          {"StorageClass", "spec.storageClassName"},
          {"VolumeAttributesClass", {}, attributes_class},
          age,
          {"VolumeMode", "spec.volumeMode", nullptr, 1}}},
        {"podtemplates",
         {{"Containers",
           {},
           [](const auto& b) { return shown(joined(array_at(b, "template.spec.containers"), "name")); }},
          {"Images", {}, [](const auto& b) { return shown(joined(array_at(b, "template.spec.containers"), "image")); }},
          {"Pod Labels", {}, [](const auto& b) { return labels_of(object_at(b, "template.metadata.labels")); }}}},
        {"replicationcontrollers",
         {{"Desired", {}, [](const auto& b) { return json::value(int_at(b, "spec.replicas")); }, 0, "integer"},
          {"Current", {}, [](const auto& b) { return json::value(int_at(b, "status.replicas")); }, 0, "integer"},
          {"Ready", {}, [](const auto& b) { return json::value(int_at(b, "status.readyReplicas")); }, 0, "integer"},
          age,
          {"Containers",
           {},
           [](const auto& b) { return json::value(joined(array_at(b, "spec.template.spec.containers"), "name")); },
           1},
          {"Images",
           {},
           [](const auto& b) { return json::value(joined(array_at(b, "spec.template.spec.containers"), "image")); },
           1},
          {"Selector", {}, [](const auto& b) { return labels_of(object_at(b, "spec.selector")); }, 1}}},
        {"resourcequotas", {{"Request", {}, quota_requests}, {"Limit", {}, quota_limits}, age}},
        {"controllerrevisions.apps",
         {{"Controller", {}, controller},
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
         {{"Controller", "spec.controller"}, {"Parameters", {}, class_parameters}, age}},
        {"networkpolicies.networking.k8s.io", {{"Pod-Selector", {}, pod_selector}, age}},
        {"runtimeclasses.node.k8s.io", {{"Handler", "handler"}, age}},
        {"poddisruptionbudgets.policy",
         {{"Min Available", {}, least_available},
          {"Max Unavailable", {}, most_unavailable},
          {"Allowed Disruptions",
           {},
           [](const auto& b) { return json::value(int_at(b, "status.disruptionsAllowed")); },
           0,
           "integer"},
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
         {{"Value", {}, [](const auto& b) { return json::value(int_at(b, "value")); }, 0, "integer"},
          {"Global-Default", {}, [](const auto& b) { return flag(b, "globalDefault"); }, 0, "boolean"},
          age,
          {"PreemptionPolicy", "preemptionPolicy"}}},
        {"storageclasses.storage.k8s.io",
         {{"Provisioner", "provisioner"},
          {"ReclaimPolicy", "reclaimPolicy"},
          {"VolumeBindingMode", "volumeBindingMode"},
          {"AllowVolumeExpansion", {}, [](const auto& b) { return flag(b, "allowVolumeExpansion"); }},
          age}},
        {"csidrivers.storage.k8s.io",
         {{"AttachRequired", {}, [](const auto& b) { return flag(b, "spec.attachRequired"); }, 0, "boolean"},
          {"PodInfoOnMount", {}, [](const auto& b) { return flag(b, "spec.podInfoOnMount"); }, 0, "boolean"},
          {"StorageCapacity", {}, [](const auto& b) { return flag(b, "spec.storageCapacity"); }, 0, "boolean"},
          {"TokenRequests", {}, token_requests},
          {"RequiresRepublish", {}, [](const auto& b) { return flag(b, "spec.requiresRepublish"); }, 0, "boolean"},
          {"Modes", {}, [](const auto& b) { return shown(joined(array_at(b, "spec.volumeLifecycleModes"), {})); }},
          age}},
        {"csinodes.storage.k8s.io",
         {{"Drivers", {}, [](const auto& b) { return count(array_at(b, "spec.drivers")); }, 0, "integer"}, age}},
        {"volumeattachments.storage.k8s.io",
         {{"Attacher", "spec.attacher"},
          {"PV", "spec.source.persistentVolumeName"},
          {"Node", "spec.nodeName"},
          {"Attached", {}, [](const auto& b) { return flag(b, "status.attached"); }, 0, "boolean"},
          age}},
        {"volumeattributesclasses.storage.k8s.io", {{"DriverName", "driverName"}, age}},
        {"mutatingwebhookconfigurations.admissionregistration.k8s.io",
         {{"Webhooks", {}, [](const auto& b) { return count(array_at(b, "webhooks")); }, 0, "integer"}, age}},
        {"validatingwebhookconfigurations.admissionregistration.k8s.io",
         {{"Webhooks", {}, [](const auto& b) { return count(array_at(b, "webhooks")); }, 0, "integer"}, age}},
        {"validatingadmissionpolicies.admissionregistration.k8s.io",
         {{"Validations", {}, [](const auto& b) { return count(array_at(b, "spec.validations")); }, 0, "integer"},
          {"ParamKind", {}, [](const auto& b) { return shown(text_at(b, "spec.paramKind.kind"), "<unset>"); }},
          age}},
        {"validatingadmissionpolicybindings.admissionregistration.k8s.io",
         {{"PolicyName", "spec.policyName"},
          {"ParamRef", {}, [](const auto& b) { return shown(text_at(b, "spec.paramRef.name"), "<unset>"); }},
          age}},
        {"apiservices.apiregistration.k8s.io", {{"Service", {}, api_service}, {"Available", {}, api_available}, age}},
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
    for (const auto& c : columns_of(info)) out.push_back({std::string(c.name), std::string(c.type), "", c.priority});
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
