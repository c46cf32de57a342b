#include "objects/registry.hpp"

#include "text/json_path.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/version_order.hpp>

#include <algorithm>
#include <functional>
#include <set>

namespace kubecoro::apiserver {

const std::shared_ptr<const json::value>& no_schema()
{
    static const auto none = std::make_shared<const json::value>(nullptr);
    return none;
}

bool selects_pods(builtin b) noexcept
{
    return b == builtin::daemon_set || b == builtin::deployment || b == builtin::replica_set ||
           b == builtin::stateful_set;
}

std::string resource_info::api_version(std::string_view version) const
{
    return group.empty() ? std::string(version) : group + "/" + std::string(version);
}

const served_version* resource_info::find_version(std::string_view version) const
{
    const auto it = std::find_if(versions.begin(), versions.end(), [&](const auto& v) { return v.name == version; });
    return it == versions.end() ? nullptr : &*it;
}

const object_schema* resource_info::schema_of(std::string_view version) const
{
    const auto it = std::find_if(schemas.begin(), schemas.end(), [&](const auto& s) { return s.first == version; });
    return it == schemas.end() || !it->second ? nullptr : &*it->second;
}

std::string resource_info::type_prefix(std::string_view version) const
{
    // Go structs begin with kind; custom resources are maps, whose keys are sorted.
    if (custom) return R"({"apiVersion":")" + api_version(version) + R"(","kind":")" + kind + "\",";
    return R"({"kind":")" + kind + R"(","apiVersion":")" + api_version(version) + "\",";
}

bool subresource_info::allows(std::string_view verb) const noexcept
{
    for (auto rest = verbs; !rest.empty();) {
        const auto each = rest.substr(0, rest.find(','));
        if (each == verb) return true;
        rest.remove_prefix(std::min(rest.size(), each.size() + 1));
    }
    return false;
}

bool status_sets(const resource_info& info, std::string_view member)
{
    if (!info.status_sets_metadata) return false;
    // Old kubelets damaged the owners of pods.
    if (member == "ownerReferences") return info.behaves != builtin::pod;
    if (member == "labels") return info.behaves != builtin::deployment;
    return member == "annotations" || member == "finalizers";
}

std::vector<subresource_info> subresources_of(const resource_info& info)
{
    std::vector<subresource_info> all;
    if (info.behaves == builtin::pod)
        all = {{"binding", "create", "v1", "Binding"},
               {"ephemeralcontainers"},
               {"eviction", "create", "policy/v1", "Eviction"},
               {"log", "get"}};
    if (info.behaves == builtin::namespace_) all.push_back({"finalize", "update"});
    if (info.has_scale) all.push_back({"scale", "get,patch,update", "autoscaling/v1", "Scale"});
    if (info.has_status) all.push_back({"status"});
    if (info.behaves == builtin::service_account)
        all.push_back({"token", "create", "authentication.k8s.io/v1", "TokenRequest"});
    return all;
}

namespace {

resource_info core(builtin behaves, std::string plural, std::string kind, std::vector<std::string> short_names,
                   std::vector<std::string> members)
{
    resource_info r;
    r.behaves = behaves;
    r.plural = std::move(plural);
    r.kind = std::move(kind);
    r.short_names = std::move(short_names);
    r.members = std::move(members);
    r.versions.push_back({"v1"});
    r.list_kind = r.kind + "List";
    for (const char c : r.kind) r.singular += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return r;
}

resource_info workload(builtin behaves, std::string group, std::string plural, std::string kind,
                       std::vector<std::string> short_names)
{
    auto r = core(behaves, std::move(plural), std::move(kind), std::move(short_names), {"spec", "status"});
    r.group = std::move(group);
    r.categories = {"all"};
    r.has_status = true;
    r.generation = generation_rule::spec;
    return r;
}

std::vector<resource_info> core_group()
{
    std::vector<resource_info> all;
    all.push_back(core(builtin::config_map, "configmaps", "ConfigMap", {"cm"}, {"data", "binaryData", "immutable"}));

    auto events = core(builtin::event, "events", "Event", {"ev"},
                       {"involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count",
                        "type", "eventTime", "series", "action", "related", "reportingComponent", "reportingInstance"});
    events.selectable = {"involvedObject.kind",
                         "involvedObject.namespace",
                         "involvedObject.name",
                         "involvedObject.uid",
                         "involvedObject.apiVersion",
                         "involvedObject.resourceVersion",
                         "involvedObject.fieldPath",
                         "reason",
                         "reportingComponent",
                         "source",
                         "type"};
    all.push_back(std::move(events));

    auto namespaces = core(builtin::namespace_, "namespaces", "Namespace", {"ns"}, {"spec", "status"});
    namespaces.namespaced = false;
    namespaces.names = name_rule::label;
    namespaces.has_status = true;
    namespaces.selectable = {"status.phase"};
    all.push_back(std::move(namespaces));

    auto nodes = core(builtin::node, "nodes", "Node", {"no"}, {"spec", "status"});
    nodes.namespaced = false;
    nodes.has_status = true;
    nodes.selectable = {"spec.unschedulable"};
    all.push_back(std::move(nodes));

    auto pods = core(builtin::pod, "pods", "Pod", {"po"}, {"spec", "status"});
    pods.categories = {"all"};
    pods.has_status = true;
    pods.generation = generation_rule::spec;
    pods.delete_answers_object = true;
    pods.selectable = {"spec.nodeName",           "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
                       "spec.hostNetwork",        "status.phase",       "status.podIP",       "status.podIPs",
                       "status.nominatedNodeName"};
    all.push_back(std::move(pods));

    auto secrets = core(builtin::secret, "secrets", "Secret", {}, {"data", "stringData", "type", "immutable"});
    secrets.selectable = {"type"};
    all.push_back(std::move(secrets));

    auto accounts = core(builtin::service_account, "serviceaccounts", "ServiceAccount", {"sa"},
                         {"secrets", "imagePullSecrets", "automountServiceAccountToken"});
    accounts.delete_answers_object = true;
    all.push_back(std::move(accounts));

    auto services = core(builtin::service, "services", "Service", {"svc"}, {"spec", "status"});
    services.categories = {"all"};
    services.names = name_rule::label;
    services.has_status = true;
    services.delete_answers_object = true;
    services.selectable = {"spec.clusterIP", "spec.type"};
    all.push_back(std::move(services));
    return all;
}

} // namespace

std::vector<resource_info> builtin_resources()
{
    auto all = core_group();

    auto crds = core(builtin::custom_resource_definition, "customresourcedefinitions", "CustomResourceDefinition",
                     {"crd", "crds"}, {"spec", "status"});
    crds.group = "apiextensions.k8s.io";
    crds.namespaced = false;
    crds.has_status = true;
    crds.generation = generation_rule::spec;
    crds.categories = {"api-extensions"};
    crds.unconditional_update = false;
    crds.delete_answers_object = true;
    all.push_back(std::move(crds));

    all.push_back(workload(builtin::daemon_set, "apps", "daemonsets", "DaemonSet", {"ds"}));
    auto deployments = workload(builtin::deployment, "apps", "deployments", "Deployment", {"deploy"});
    deployments.generation = generation_rule::spec_and_annotations;
    deployments.has_scale = true;
    all.push_back(std::move(deployments));
    auto sets = workload(builtin::replica_set, "apps", "replicasets", "ReplicaSet", {"rs"});
    sets.has_scale = true;
    all.push_back(std::move(sets));
    auto stateful = workload(builtin::stateful_set, "apps", "statefulsets", "StatefulSet", {"sts"});
    stateful.has_scale = true;
    all.push_back(std::move(stateful));

    all.push_back(workload(builtin::cron_job, "batch", "cronjobs", "CronJob", {"cj"}));
    auto jobs = workload(builtin::job, "batch", "jobs", "Job", {});
    jobs.selectable = {"status.successful"};
    jobs.orphans_dependents = true;
    all.push_back(std::move(jobs));

    auto events = core(builtin::event, "events", "Event", {"ev"},
                       {"eventTime", "series", "reportingController", "reportingInstance", "action", "reason",
                        "regarding", "related", "note", "type", "deprecatedSource", "deprecatedFirstTimestamp",
                        "deprecatedLastTimestamp", "deprecatedCount"});
    events.group = "events.k8s.io";
    events.selectable = {"reason",
                         "regarding.kind",
                         "regarding.namespace",
                         "regarding.name",
                         "regarding.uid",
                         "regarding.apiVersion",
                         "regarding.resourceVersion",
                         "regarding.fieldPath",
                         "reportingController",
                         "type"};
    all.push_back(std::move(events));

    auto leases = core(builtin::lease, "leases", "Lease", {}, {"spec"});
    leases.group = "coordination.k8s.io";
    leases.unconditional_update = false;
    leases.create_on_update = true;
    all.push_back(std::move(leases));
    for (auto& info : plain_resources()) all.push_back(std::move(info));
    for (auto& info : all)
        if (info.kind == "Endpoints")
            info.versions.front().deprecation =
                "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
    return all;
}

bool is_builtin_group(std::string_view group)
{
    static const auto groups = [] {
        std::set<std::string, std::less<>> all;
        for (const auto& info : builtin_resources()) all.insert(info.group);
        return all;
    }();
    return groups.contains(group);
}

namespace {

std::vector<std::string> texts_of(const json::array* values)
{
    std::vector<std::string> out;
    if (!values) return out;
    for (const auto& v : *values)
        if (v.is_string()) out.emplace_back(v.get_string());
    return out;
}

/// ".spec.replicas" -> "spec.replicas".
std::string without_dot(std::string_view path)
{
    if (path.starts_with('.')) path.remove_prefix(1);
    return std::string(path);
}

served_version read_version(const json::value& v)
{
    served_version out{std::string(text_at(v, "name"))};
    if (const auto* schema = find_at(v, "schema.openAPIV3Schema")) {
        out.schema = std::make_shared<const json::value>(*schema);
        // A definition whose schema does not compile was refused.
        if (auto compiled = object_schema::of_schema(*schema)) out.compiled = std::move(*compiled);
        if (out.compiled && !out.compiled->rules().empty()) out.rules = cel::validation_rules::of_schema(*schema);
    }
    if (const auto* columns = array_at(v, "additionalPrinterColumns"))
        for (const auto& c : *columns) {
            const auto path = text_at(c, "jsonPath");
            std::string description(text_at(c, "description"));
            if (description.empty())
                description = "Custom resource definition column (in JSONPath format): " + std::string(path);
            out.columns.push_back({std::string(text_at(c, "name")), std::string(text_at(c, "type")),
                                   std::string(text_at(c, "format")), static_cast<int>(int_at(c, "priority")),
                                   std::make_shared<const json_path>(path), std::move(description)});
        }
    if (const auto* fields = array_at(v, "selectableFields"))
        for (const auto& f : *fields) out.selectable.push_back(without_dot(text_at(f, "jsonPath")));
    return out;
}

bool is_set(const json::value& version, std::string_view flag)
{
    const auto* v = find_at(version, flag);
    return v && v->is_bool() && v->get_bool();
}

/// The warning of a deprecated version in a kube-apiserver's words: the definition's, or else a word for the newest served
/// version that is not deprecated.
std::string deprecation_of(const resource_info& info, const json::value& version, const json::array& all)
{
    if (!is_set(version, "deprecated")) return {};
    if (const auto* stated = find_at(version, "deprecationWarning"); stated && stated->is_string())
        return std::string(stated->get_string());
    const auto name = text_at(version, "name");
    std::string_view newest = name;
    for (const auto& other : all)
        if (is_set(other, "served") && !is_set(other, "deprecated") &&
            detail::has_priority(text_at(other, "name"), newest))
            newest = text_at(other, "name");
    const auto kind = " " + info.kind;
    const auto said = info.api_version(name) + kind + " is deprecated";
    return newest == name ? said : said + "; use " + info.api_version(newest) + kind;
}

} // namespace

resource_info resource_of_crd(const json::value& crd)
{
    resource_info r;
    r.custom = true;
    r.status_sets_metadata = false;
    r.group = text_at(crd, "spec.group");
    r.plural = text_at(crd, "spec.names.plural");
    r.singular = text_at(crd, "spec.names.singular");
    r.kind = text_at(crd, "spec.names.kind");
    r.list_kind = text_at(crd, "spec.names.listKind");
    r.short_names = texts_of(array_at(crd, "spec.names.shortNames"));
    r.categories = texts_of(array_at(crd, "spec.names.categories"));
    r.namespaced = text_at(crd, "spec.scope") == "Namespaced";
    r.unconditional_update = false;
    if (const auto* versions = array_at(crd, "spec.versions")) {
        for (const auto& v : *versions) {
            auto read = read_version(v);
            r.schemas.emplace_back(read.name, read.compiled);
            read.deprecation = deprecation_of(r, v, *versions);
            if (is_set(v, "served")) {
                for (const auto& path : read.selectable)
                    if (std::ranges::find(r.selectable, path) == r.selectable.end()) r.selectable.push_back(path);
                r.versions.push_back(std::move(read));
            }
            if (!is_set(v, "storage")) continue;
            r.storage_version = text_at(v, "name");
            r.has_status = object_at(v, "subresources.status") != nullptr;
            if (object_at(v, "subresources.scale")) {
                r.has_scale = true;
                r.scale_spec = without_dot(text_at(v, "subresources.scale.specReplicasPath"));
                r.scale_status = without_dot(text_at(v, "subresources.scale.statusReplicasPath"));
                r.scale_selector = without_dot(text_at(v, "subresources.scale.labelSelectorPath"));
            }
        }
    }
    r.conversion = kubecoro::detail::conversion_webhook_of(crd);
    r.prunes_versions = r.schemas.size() > 1 && !r.conversion;
    r.generation = r.has_status ? generation_rule::spec : generation_rule::all_but_metadata;
    return r;
}

namespace {

constexpr system_priority_class system_classes[]{
    {"system-cluster-critical", 2'000'000'000,
     "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."},
    {"system-node-critical", 2'000'001'000,
     "Used for system critical pods that must not be moved from their current node."},
};

} // namespace

std::span<const system_priority_class> system_priority_classes() { return system_classes; }

const system_priority_class* find_system_priority_class(std::string_view name)
{
    for (const auto& c : system_classes)
        if (c.name == name) return &c;
    return nullptr;
}

} // namespace kubecoro::apiserver
