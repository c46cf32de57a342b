// Validates the kinds that make pods.
#include "objects/status_errors.hpp"
#include "schema/pod_validation.hpp"
#include "schema/selector_validation.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::forbidden_field;
using errors::invalid_value;
using errors::not_supported;
using errors::required;

constexpr std::string_view template_path = "spec.template.spec";

/// Checks numbers of a specification at that path.
void check_not_negative(const json::value& body, const std::string& path,
                        std::initializer_list<std::string_view> members, std::vector<status_cause>& causes)
{
    for (const auto member : members) {
        const auto field = path + "." + std::string(member);
        if (const auto number = int_at(body, field); number < 0)
            causes.push_back(invalid_value(field, std::to_string(number), "must be greater than or equal to 0"));
    }
}

void check_template(const json::value& body, const std::string& path, bool mounts, std::vector<status_cause>& causes)
{
    if (const auto* spec = find_at(body, path))
        validate_pod_spec(*spec, path, mounts, causes);
    else
        causes.push_back(required(path + ".containers"));
}

/// Their pods go on for ever.
void check_lasting_template(const json::value& body, std::string_view owner, std::vector<status_cause>& causes)
{
    const auto path = std::string(template_path);
    if (const auto policy = text_at(body, path + ".restartPolicy"); !policy.empty() && policy != "Always")
        causes.push_back(not_supported(path + ".restartPolicy", quote(policy), R"("Always")"));
    if (find_at(body, path + ".activeDeadlineSeconds"))
        causes.push_back(forbidden_field(path + ".activeDeadlineSeconds",
                                         "activeDeadlineSeconds in " + std::string(owner) + " is not Supported"));
}

void check_strategy(const json::value& deployment, std::vector<status_cause>& causes)
{
    const auto type = text_at(deployment, "spec.strategy.type");
    const auto* rolling = object_at(deployment, "spec.strategy.rollingUpdate");
    if (type == "Recreate" && rolling)
        causes.push_back(
            forbidden_field("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'"));
    if (type != "Recreate" && type != "RollingUpdate")
        causes.push_back(not_supported("spec.strategy", R"({"Type":)" + quote(type) + R"(,"RollingUpdate":null})",
                                       R"("Recreate", "RollingUpdate")"));
    const auto is_nothing = [&](std::string_view member) {
        const auto* v = rolling ? rolling->if_contains(member) : nullptr;
        return v && (*v == 0 || *v == "0%");
    };
    if (type == "RollingUpdate" && is_nothing("maxSurge") && is_nothing("maxUnavailable"))
        causes.push_back(invalid_value("spec.strategy.rollingUpdate.maxUnavailable",
                                       to_text(rolling->at("maxUnavailable")), "may not be 0 when `maxSurge` is 0"));
}

void check_labels_selected(const json::value& body, std::vector<status_cause>& causes)
{
    const auto* selector = find_at(body, "spec.selector");
    validate_selector(selector, "spec.selector", causes);
    if (!selector || !selector->is_object()) {
        causes.push_back(required("spec.selector"));
        return;
    }
    const auto* match = object_at(*selector, "matchLabels");
    if (!match) return;
    static const json::object none;
    const auto* labels = object_at(body, "spec.template.metadata.labels");
    if (!labels) labels = &none;
    const bool matches = std::all_of(match->begin(), match->end(), [&](const auto& wanted) {
        const auto* have = labels->if_contains(wanted.key());
        return have && *have == wanted.value();
    });
    if (!matches)
        causes.push_back(invalid_value("spec.template.metadata.labels", to_text(*labels),
                                       "`selector` does not match template `labels`"));
}

} // namespace

void validate_workload(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    check_not_negative(body, "spec", {"replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"},
                       causes);
    check_labels_selected(body, causes);
    // The claims of a stateful set are volumes as well, and a kube-apiserver leaves its mounts to the pods.
    check_template(body, std::string(template_path), info.behaves != builtin::stateful_set, causes);
    check_lasting_template(body, info.behaves == builtin::deployment ? "ReplicaSet" : info.kind, causes);
    if (info.behaves == builtin::deployment) check_strategy(body, causes);
}

void validate_job(const json::value& body, const std::string& path, std::vector<status_cause>& causes)
{
    check_not_negative(
        body, path, {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"},
        causes);
    const auto pods = path + ".template.spec";
    check_template(body, pods, true, causes);
    const auto mode = text_at(body, path + ".completionMode");
    if (!mode.empty() && mode != "NonIndexed" && mode != "Indexed")
        causes.push_back(not_supported(path + ".completionMode", quote(mode), R"("NonIndexed", "Indexed")"));
    const auto field = pods + ".restartPolicy";
    const auto policy = text_at(body, field);
    if (policy.empty() || policy == "Always")
        causes.push_back(required(field, R"(valid values: "OnFailure", "Never")"));
    else if (policy != "OnFailure" && policy != "Never")
        causes.push_back(not_supported(field, quote(policy), R"("OnFailure", "Never")"));
}

} // namespace kubecoro::apiserver
