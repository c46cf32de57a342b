// Validates kinds that the server only stores: the rules that manifests break most often.
#include "schema/kind_validation.hpp"

#include "schema/webhook_validation.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/quantity.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::invalid_value;
using errors::required;

struct needed_member
{
    std::string_view kind;
    std::string_view path;
    std::string_view why = {};
};

constexpr needed_member needed[] = {
    {"StorageClass", "provisioner"},
    {"HorizontalPodAutoscaler", "spec.scaleTargetRef.kind"},
    {"HorizontalPodAutoscaler", "spec.scaleTargetRef.name"},
    {"PersistentVolumeClaim", "spec.accessModes", "at least 1 access mode is required"},
};

/// A member, or each item of a list, that is one of some texts. Absent is right.
struct choice
{
    std::string_view kind;
    std::string_view path;
    /// As the refusal shows them.
    std::string_view supported;
    /// A wrong item is named by its index.
    bool by_index = false;
};

constexpr choice choices[] = {
    {"StorageClass", "reclaimPolicy", R"("Delete", "Retain")"},
    {"StorageClass", "volumeBindingMode", R"("Immediate", "WaitForFirstConsumer")"},
    {"PersistentVolumeClaim", "spec.volumeMode", R"("Block", "Filesystem")"},
    {"PersistentVolumeClaim", "spec.accessModes",
     R"("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")"},
    {"CronJob", "spec.concurrencyPolicy", R"("Allow", "Forbid", "Replace")"},
    {"PriorityClass", "preemptionPolicy", R"("PreemptLowerPriority", "Never")"},
    {"NetworkPolicy", "spec.policyTypes", R"("Ingress", "Egress")", true},
};

struct bounded_number
{
    std::string_view kind;
    std::string_view path;
};

constexpr bounded_number not_negative[] = {
    {"CronJob", "spec.startingDeadlineSeconds"},  {"CronJob", "spec.successfulJobsHistoryLimit"},
    {"CronJob", "spec.failedJobsHistoryLimit"},   {"Lease", "spec.leaseTransitions"},
    {"PodDisruptionBudget", "spec.minAvailable"}, {"PodDisruptionBudget", "spec.maxUnavailable"},
    {"ReplicationController", "spec.replicas"},
};

bool is_absent(const json::value* v)
{
    return !v || v->is_null() || (v->is_string() && v->get_string().empty()) ||
           (v->is_array() && v->get_array().empty());
}

void check_choice(const choice& rule, const json::value& v, const std::string& field, std::vector<status_cause>& causes)
{
    const auto shown = quote(scalar_text(v));
    if (v.is_string() && rule.supported.find(shown) == rule.supported.npos)
        causes.push_back(errors::not_supported(field, shown, rule.supported));
}

void check_choices(const choice& rule, const json::value& body, std::vector<status_cause>& causes)
{
    const auto* found = find_at(body, rule.path);
    if (is_absent(found)) return;
    const std::string field(rule.path);
    const auto* items = found->if_array();
    if (!items) check_choice(rule, *found, field, causes);
    for (std::size_t i = 0; items && i < items->size() && !errors::enough(causes); ++i)
        check_choice(rule, (*items)[i], rule.by_index ? field + "[" + std::to_string(i) + "]" : field, causes);
}

void check_claim(const json::value& claim, std::vector<status_cause>& causes)
{
    const auto* requests = object_at(claim, "spec.resources.requests");
    const auto* storage = requests ? requests->if_contains("storage") : nullptr;
    const std::string field = "spec.resources[storage]";
    if (!storage)
        causes.push_back(required(field));
    else if (const auto amount = quantity::parse(scalar_text(*storage)); amount && amount->sign() <= 0)
        causes.push_back(invalid_value(field, quote(amount->text()), "must be greater than zero"));
}

void check_budget(const json::value& budget, std::vector<status_cause>& causes)
{
    const auto* least = find_at(budget, "spec.minAvailable");
    const auto* most = find_at(budget, "spec.maxUnavailable");
    if (least && most)
        causes.push_back(invalid_value("spec", to_text(*find_at(budget, "spec")),
                                       "minAvailable and maxUnavailable cannot be both set"));
}

void check_autoscaler(const json::value& autoscaler, std::vector<status_cause>& causes)
{
    const auto most = int_at(autoscaler, "spec.maxReplicas"), least = int_at(autoscaler, "spec.minReplicas");
    if (most < 1) causes.push_back(required("spec.maxReplicas", "must be set and greater than 0"));
    if (most < least)
        causes.push_back(
            invalid_value("spec.maxReplicas", std::to_string(most), "must be greater than or equal to `minReplicas`"));
    if (const auto* stated = find_at(autoscaler, "spec.minReplicas"); stated && least < 1)
        causes.push_back(
            invalid_value("spec.minReplicas", std::to_string(least), "must be greater than or equal to 1"));
}

void check_priority_class(const json::value& priority, std::vector<status_cause>& causes)
{
    constexpr std::int64_t highest = 1'000'000'000;
    const auto name = text_at(priority, "metadata.name");
    const bool own = find_system_priority_class(name) != nullptr;
    if (name.starts_with("system-") && !own)
        causes.push_back(errors::forbidden_field(
            "metadata.name", "priority class names with 'system-' prefix are reserved for system use "
                             "only. error: " +
                                 std::string(name) + " is not a known system priority class"));
    else if (!own && int_at(priority, "value") > highest)
        causes.push_back(errors::forbidden_field("value", "maximum allowed value of a user defined priority is " +
                                                              std::to_string(highest)));
}

} // namespace

void validate_plain_kind(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    for (const auto& rule : needed)
        if (rule.kind == info.kind && is_absent(find_at(body, rule.path)))
            causes.push_back(required(std::string(rule.path), rule.why));
    for (const auto& rule : choices)
        if (rule.kind == info.kind) check_choices(rule, body, causes);
    for (const auto& rule : not_negative)
        if (const auto number = int_at(body, rule.path); rule.kind == info.kind && number < 0)
            causes.push_back(
                invalid_value(std::string(rule.path), std::to_string(number), "must be greater than or equal to 0"));
    if (info.behaves == builtin::persistent_volume_claim) check_claim(body, causes);
    if (info.behaves == builtin::disruption_budget) check_budget(body, causes);
    if (info.behaves == builtin::autoscaler) check_autoscaler(body, causes);
    if (info.behaves == builtin::priority_class) check_priority_class(body, causes);
    if (info.kind.ends_with("WebhookConfiguration") && !info.custom) validate_webhooks(body, causes);
}

} // namespace kubecoro::apiserver
