// Defaults of pods, of workloads and of the kinds that need code.
#include "schema/defaults.hpp"

#include "objects/finalizers.hpp"
#include "schema/service_spec.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/quantity.hpp>

#include <cstdint>
#include <limits>
#include <map>

namespace kubecoro::apiserver {
namespace {

/// By "cpu" and "memory"; those that are not positive are left out.
using amounts = std::map<std::string_view, quantity>;

/// @return the number of resources that were added.
std::size_t add(amounts& to, const json::object* resources)
{
    std::size_t added = 0;
    for (const std::string_view name : {"cpu", "memory"}) {
        const auto* stated = resources ? resources->if_contains(name) : nullptr;
        if (!stated) continue;
        const auto amount = quantity::parse(scalar_text(*stated));
        if (!amount || amount->sign() <= 0) continue;
        to[name] += *amount;
        ++added;
    }
    return added;
}

/// A container of a pod, but not of a template, requests its limits where it requests nothing else.
void default_requests(json::object& spec, default_budget& budget)
{
    for (const std::string_view list : {"containers", "initContainers"}) {
        auto* containers = spec.if_contains(list);
        if (!containers || !containers->is_array()) continue;
        for (auto& container : containers->get_array()) {
            const auto* limits = object_at(container, "resources.limits");
            if (!limits || budget.spent()) continue;
            const auto stated = *limits;
            auto& requests = object_member(object_member(container.get_object(), "resources"), "requests");
            for (const auto& [name, amount] : stated)
                if (!budget.spent() && requests.emplace(name, amount).second) budget.spend(1);
        }
    }
}

/// Guaranteed, Burstable or BestEffort, by the resources of a pod or those of its containers.
std::string_view quality_of_service(const json::value& spec)
{
    amounts requests, limits;
    bool guaranteed = true;
    const auto take = [&](const json::value& owner) {
        add(requests, object_at(owner, "resources.requests"));
        if (add(limits, object_at(owner, "resources.limits")) < 2) guaranteed = false;
    };
    if (object_at(spec, "resources"))
        take(spec);
    else
        for (const std::string_view list : {"containers", "initContainers"})
            if (const auto* containers = array_at(spec, list))
                for (const auto& container : *containers) take(container);
    if (requests.empty() && limits.empty()) return "BestEffort";
    return guaranteed && requests == limits ? "Guaranteed" : "Burstable";
}

void default_container(json::value& v, default_budget& budget)
{
    if (!v.is_object() || budget.spent()) return;
    auto& c = v.get_object();
    const auto before = c.size();
    default_member(c, "resources", json::object{});
    default_member(c, "terminationMessagePath", "/dev/termination-log");
    default_member(c, "terminationMessagePolicy", "File");
    const auto image = text_at(v, "image");
    const auto slash = image.rfind('/');
    const auto tag = image.find(':', slash == std::string_view::npos ? 0 : slash);
    const bool latest =
        (tag == std::string_view::npos && image.find('@') == std::string_view::npos) || image.ends_with(":latest");
    default_member(c, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
    budget.spend(c.size() - before);
    apply_container_rules(v, budget);
}

/// A volume without a source is an empty directory.
void default_volumes(json::object& spec, default_budget& budget)
{
    auto* volumes = spec.if_contains("volumes");
    if (!volumes || !volumes->is_array()) return;
    for (auto& volume : volumes->get_array()) {
        if (budget.spent()) return;
        if (!volume.is_object()) continue;
        auto& o = volume.get_object();
        const bool has_source =
            std::any_of(o.begin(), o.end(), [](const auto& m) { return m.key() != "name" && !m.value().is_null(); });
        if (has_source) continue;
        o["emptyDir"] = json::object{};
        budget.spend(1);
    }
}

void default_pod_spec(json::value& in)
{
    auto& spec = in.get_object();
    default_budget budget;
    default_volumes(spec, budget);
    apply_volume_rules(in, budget);
    for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"})
        if (auto* containers = spec.if_contains(list); containers && containers->is_array())
            for (auto& c : containers->get_array()) default_container(c, budget);
    default_member(spec, "restartPolicy", "Always");
    default_member(spec, "terminationGracePeriodSeconds", 30);
    // One field under two names, of which the newer one counts.
    for (const std::string_view name : {"serviceAccountName", "serviceAccount"})
        if (const std::string account(text_at(in, name)); !account.empty()) {
            spec["serviceAccountName"] = spec["serviceAccount"] = std::string_view(account);
            break;
        }
    default_member(spec, "dnsPolicy", "ClusterFirst");
    default_member(spec, "securityContext", json::object{});
    default_member(spec, "schedulerName", "default-scheduler");
}

void default_template(json::object& spec)
{
    auto& pod_template = object_member(spec, "template");
    object_member(pod_template, "spec");
    default_pod_spec(pod_template.at("spec"));
}

/// With the network of the node, ports of containers are ports of the node.
void default_host_ports(json::object& spec, default_budget& budget)
{
    const auto* host = spec.if_contains("hostNetwork");
    if (!host || !host->is_bool() || !host->get_bool()) return;
    for (const std::string_view list : {"containers", "initContainers"}) {
        auto* containers = spec.if_contains(list);
        if (!containers || !containers->is_array()) continue;
        for (auto& container : containers->get_array()) {
            auto* ports = container.is_object() ? container.get_object().if_contains("ports") : nullptr;
            if (!ports || !ports->is_array()) continue;
            for (auto& port : ports->get_array()) {
                if (budget.spent() || !port.is_object() || int_at(port, "hostPort") != 0) continue;
                port.get_object()["hostPort"] = int_at(port, "containerPort");
                budget.spend(1);
            }
        }
    }
}

void default_pod(json::object& o)
{
    auto& spec = object_member(o, "spec");
    default_pod_spec(o.at("spec"));
    default_budget budget;
    default_requests(spec, budget);
    default_host_ports(spec, budget);
    default_member(spec, "enableServiceLinks", true);
    const auto quality = quality_of_service(o.at("spec"));
    auto& status = object_member(o, "status");
    default_member(status, "phase", "Pending");
    default_member(status, "qosClass", json::value(quality));
}

void default_deployment(json::object& spec)
{
    default_member(spec, "replicas", 1);
    default_template(spec);
    auto& strategy = object_member(spec, "strategy");
    default_member(strategy, "type", "RollingUpdate");
    if (strategy.at("type") == "RollingUpdate") {
        auto& rolling = object_member(strategy, "rollingUpdate");
        default_member(rolling, "maxUnavailable", "25%");
        default_member(rolling, "maxSurge", "25%");
    }
    default_member(spec, "revisionHistoryLimit", 10);
    default_member(spec, "progressDeadlineSeconds", 600);
}

void default_stateful_set(json::object& spec)
{
    default_member(spec, "replicas", 1);
    default_template(spec);
    default_member(spec, "podManagementPolicy", "OrderedReady");
    auto& strategy = object_member(spec, "updateStrategy");
    if (const auto* type = strategy.if_contains("type"); !type || type->is_null())
        object_member(strategy, "rollingUpdate");
    default_member(strategy, "type", "RollingUpdate");
    auto* const rolling = strategy.at("type") == "RollingUpdate" ? strategy.if_contains("rollingUpdate") : nullptr;
    if (rolling && rolling->is_object()) default_member(rolling->get_object(), "partition", 0);
    auto& claims = object_member(spec, "persistentVolumeClaimRetentionPolicy");
    default_member(claims, "whenDeleted", "Retain");
    default_member(claims, "whenScaled", "Retain");
    default_member(spec, "revisionHistoryLimit", 10);
}

void default_daemon_set(json::object& spec)
{
    default_template(spec);
    auto& strategy = object_member(spec, "updateStrategy");
    default_member(strategy, "type", "RollingUpdate");
    if (strategy.at("type") == "RollingUpdate") {
        auto& rolling = object_member(strategy, "rollingUpdate");
        default_member(rolling, "maxUnavailable", 1);
        default_member(rolling, "maxSurge", 0);
    }
    default_member(spec, "revisionHistoryLimit", 10);
}

/// The pods of a job have labels of their own, by which it finds them.
void select_pods_of_job(json::object& job)
{
    auto& spec = object_member(job, "spec");
    const auto* manual = spec.if_contains("manualSelector");
    if (spec.contains("selector") || (manual && manual->is_bool() && manual->get_bool())) return;
    const json::value metadata = job["metadata"];
    auto& labels = object_member(object_member(object_member(spec, "template"), "metadata"), "labels");
    for (const std::string prefix : {"batch.kubernetes.io/", ""}) {
        labels[prefix + "controller-uid"] = text_at(metadata, "uid");
        labels[prefix + "job-name"] = text_at(metadata, "name");
    }
    spec["selector"] = {{"matchLabels", {{"batch.kubernetes.io/controller-uid", text_at(metadata, "uid")}}}};
}

/// A job without labels has those of its pods.
void label_job(json::object& job)
{
    const auto* of_pods = object_at(job.at("spec"), "template.metadata.labels");
    if (!of_pods || of_pods->empty()) return;
    const json::value labels = *of_pods;
    auto& own = object_member(object_member(job, "metadata"), "labels");
    if (own.empty()) own = labels.get_object();
}

void default_job(json::object& spec)
{
    const auto is_given = [&](std::string_view member) {
        const auto* value = spec.if_contains(member);
        return value && !value->is_null();
    };
    // With parallelism alone, its pods work on a queue, and their success ends it.
    if (!is_given("parallelism")) default_member(spec, "completions", 1);
    default_member(spec, "parallelism", 1);
    default_member(spec, "backoffLimit",
                   is_given("backoffLimitPerIndex") ? std::numeric_limits<std::int32_t>::max() : 6);
    default_template(spec);
    default_member(spec, "completionMode", "NonIndexed");
    default_member(spec, "suspend", false);
    default_member(spec, "manualSelector", false);
    default_member(spec, "podReplacementPolicy", is_given("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
}

void default_autoscaler(json::object& spec)
{
    default_member(spec, "minReplicas", 1);
    const auto* metrics = spec.if_contains("metrics");
    if (metrics && metrics->is_array() && !metrics->get_array().empty()) return;
    const json::object target{{"type", "Utilization"}, {"averageUtilization", 80}};
    spec["metrics"] = json::array{{{"type", "Resource"}, {"resource", {{"name", "cpu"}, {"target", target}}}}};
}

void default_cron_job(json::object& spec)
{
    default_member(spec, "concurrencyPolicy", "Allow");
    default_member(spec, "suspend", false);
    default_member(spec, "successfulJobsHistoryLimit", 3);
    default_member(spec, "failedJobsHistoryLimit", 1);
    default_template(object_member(object_member(spec, "jobTemplate"), "spec"));
}

void default_secret(json::object& o)
{
    if (const auto it = o.find("stringData"); it != o.end()) {
        if (it->value().is_object()) {
            auto& data = object_member(o, "data");
            for (const auto& [key, value] : o.at("stringData").get_object())
                if (value.is_string()) data[key] = bytes(std::string(value.get_string())).base64();
        }
        o.erase("stringData");
    }
    auto& type = o["type"];
    if (type.is_null() || (type.is_string() && type.get_string().empty())) type = "Opaque";
}

/// References to roles, users and groups are to those of this group, unless they say otherwise.
void default_role_binding(json::object& o)
{
    constexpr std::string_view group = "rbac.authorization.k8s.io";
    const auto fill = [&](json::object& reference) {
        auto& stated = reference["apiGroup"];
        if (stated.is_null() || (stated.is_string() && stated.get_string().empty())) stated = group;
    };
    fill(object_member(o, "roleRef"));
    auto* subjects = o.if_contains("subjects");
    if (!subjects || !subjects->is_array()) return;
    for (auto& subject : subjects->get_array()) {
        const auto kind = text_at(subject, "kind");
        if (kind == "User" || kind == "Group") fill(subject.get_object());
    }
}

std::string_view storage_version_of(const json::object& crd)
{
    const auto* spec = crd.if_contains("spec");
    const auto* versions = spec ? array_at(*spec, "versions") : nullptr;
    if (!versions) return {};
    for (const auto& v : *versions)
        if (const auto* storage = find_at(v, "storage"); storage && storage->is_bool() && storage->get_bool())
            return text_at(v, "name");
    return {};
}

/// As Go reads it: null is nothing, but for values that are JSON themselves.
void drop_nulls_of_schema(json::object& schema)
{
    erase_members(schema, [&](std::string_view key) { return schema.at(key).is_null(); });
    if (auto* properties = schema.if_contains("properties"); properties && properties->is_object())
        for (auto& property : properties->get_object()) {
            if (property.value().is_null()) property.value().emplace_object();
            if (auto* nested = property.value().if_object()) drop_nulls_of_schema(*nested);
        }
    for (const std::string_view part : {"items", "additionalProperties", "not"})
        if (auto* nested = schema.if_contains(part); nested && nested->is_object())
            drop_nulls_of_schema(nested->get_object());
    for (const std::string_view part : {"allOf", "anyOf", "oneOf"})
        if (auto* all = schema.if_contains(part); all && all->is_array())
            for (auto& each : all->get_array())
                if (auto* nested = each.if_object()) drop_nulls_of_schema(*nested);
}

void drop_nulls_of_definition(json::value& v)
{
    if (auto* items = v.if_array())
        for (auto& item : *items) drop_nulls_of_definition(item);
    auto* members = v.if_object();
    if (!members) return;
    erase_members(*members, [&](std::string_view key) { return members->at(key).is_null(); });
    for (auto& [key, member] : *members)
        if (auto* schema = key == "openAPIV3Schema" ? member.if_object() : nullptr)
            drop_nulls_of_schema(*schema);
        else
            drop_nulls_of_definition(member);
}

void default_crd(json::object& o, bool creating)
{
    drop_nulls_of_definition(o["spec"]);
    auto& spec = object_member(o, "spec");
    auto& names = object_member(spec, "names");
    const std::string kind(text_at(o.at("spec"), "names.kind"));
    if (!kind.empty()) default_member(names, "listKind", json::value(std::string_view(kind + "List")));
    std::string singular;
    for (const char c : kind) singular += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    default_member(names, "singular", json::value(std::string_view(singular)));
    default_member(spec, "conversion", {{"strategy", "None"}});
    if (creating) o["status"] = {{"conditions", nullptr}, {"acceptedNames", {{"plural", ""}, {"kind", ""}}}};
    const auto* stored = object_member(o, "status").if_contains("storedVersions");
    if (!stored || !stored->is_array() || stored->get_array().empty()) note_storage_version(o);
}

void default_namespace(json::object& o, bool creating)
{
    auto& metadata = object_member(o, "metadata");
    const json::value name = metadata["name"]; // a reference would not outlive a new member
    object_member(metadata, "labels")["kubernetes.io/metadata.name"] = name;
    if (!creating) return;
    auto& finalizers = object_member(o, "spec")["finalizers"];
    if (!finalizers.is_array()) finalizers = json::array{};
    auto& all = finalizers.get_array();
    const json::value own(namespace_finalizer);
    if (std::find(all.begin(), all.end(), own) == all.end()) all.push_back(own);
    object_member(o, "status")["phase"] = "Active";
}

void default_status(builtin behaves, json::object& o)
{
    object_member(o, "spec");
    auto& status = object_member(o, "status");
    if (behaves == builtin::service) default_member(status, "loadBalancer", json::object{});
    if (behaves == builtin::replica_set || behaves == builtin::stateful_set) default_member(status, "replicas", 0);
    if (behaves == builtin::daemon_set)
        for (const std::string_view n :
             {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"})
            default_member(status, n, 0);
}

} // namespace

void note_storage_version(json::object& crd)
{
    const json::value name(storage_version_of(crd));
    if (name.get_string().empty()) return;
    auto& stored = object_member(crd, "status")["storedVersions"];
    if (!stored.is_array()) stored = json::array{};
    auto& names = stored.get_array();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void apply_defaults(const resource_info& info, json::value& body, bool creating, bool keep_status)
{
    auto& o = body.get_object();
    const builtin behaves = info.behaves;
    const bool fresh = creating && !keep_status;
    // A kubelet registers its node with a status.
    if (fresh && info.has_status && behaves != builtin::node) o.erase("status");
    if (info.custom) return;
    round_resource_lists(info, body);
    if (behaves == builtin::pod)
        default_pod(o);
    else if (behaves == builtin::deployment)
        default_deployment(object_member(o, "spec"));
    else if (behaves == builtin::replica_set) {
        default_member(object_member(o, "spec"), "replicas", 1);
        default_template(object_member(o, "spec"));
    } else if (behaves == builtin::stateful_set)
        default_stateful_set(object_member(o, "spec"));
    else if (behaves == builtin::daemon_set)
        default_daemon_set(object_member(o, "spec"));
    else if (behaves == builtin::job) {
        default_job(object_member(o, "spec"));
        if (creating) select_pods_of_job(o);
        label_job(o);
    } else if (behaves == builtin::cron_job)
        default_cron_job(object_member(o, "spec"));
    else if (behaves == builtin::autoscaler)
        default_autoscaler(object_member(o, "spec"));
    else if (behaves == builtin::priority_class)
        default_member(o, "preemptionPolicy", "PreemptLowerPriority");
    else if (behaves == builtin::service)
        default_service(object_member(o, "spec"));
    else if (behaves == builtin::secret)
        default_secret(o);
    else if (behaves == builtin::role_binding)
        default_role_binding(o);
    else if (behaves == builtin::custom_resource_definition)
        default_crd(o, creating);
    else if (behaves == builtin::namespace_)
        default_namespace(o, creating);
    else if (info.kind == "PodTemplate" || (info.kind == "ReplicationController" && find_at(body, "spec.template")))
        default_template(info.kind == "PodTemplate" ? o : object_member(o, "spec"));
    if (info.has_status) default_status(behaves, o);
    apply_plain_defaults(info, body, fresh);
}

} // namespace kubecoro::apiserver
