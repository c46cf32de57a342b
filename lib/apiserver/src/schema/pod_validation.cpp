#include "schema/pod_validation.hpp"

#include "render/json_text.hpp"
#include "render/status_errors.hpp"
#include "schema/selector_validation.hpp"
#include "state/names.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::enough;
using errors::invalid_value;

/// Checks that each mount is of a volume, and at a path of its own.
void check_mounts(const json::value& container, const std::set<std::string_view>& volumes, const std::string& path,
                  std::vector<status_cause>& causes)
{
    const auto* mounts = array_at(container, "volumeMounts");
    std::set<std::string_view> paths;
    for (std::size_t i = 0; mounts && i < mounts->size() && !enough(causes); ++i) {
        const auto at = path + ".volumeMounts[" + std::to_string(i) + "]";
        const auto name = text_at((*mounts)[i], "name");
        const auto mount_path = text_at((*mounts)[i], "mountPath");
        if (name.empty()) causes.push_back(errors::required(at + ".name"));
        if (!volumes.contains(name)) causes.push_back(errors::absent_value(at + ".name", quote(name)));
        if (mount_path.empty()) causes.push_back(errors::required(at + ".mountPath"));
        if (!paths.insert(mount_path).second)
            causes.push_back(invalid_value(at + ".mountPath", quote(mount_path), "must be unique"));
    }
}

std::set<std::string_view> volumes_of(const json::value& spec)
{
    std::set<std::string_view> out;
    if (const auto* volumes = array_at(spec, "volumes"))
        for (const auto& volume : *volumes) out.insert(text_at(volume, "name"));
    return out;
}

/// Whether Go reads the member as one that is not set: an empty probe is set.
bool is_unset(std::string_view member, const json::value& v)
{
    const auto* object = v.if_object();
    return v.is_null() || (member == "resources" && object && object->empty());
}

/// Ephemeral containers only help with debugging a pod.
void check_ephemeral_container(const json::value& container, const std::string& path, std::vector<status_cause>& causes)
{
    for (const std::string_view member : {"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
                                          "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"})
        if (const auto* value = find_at(container, member); value && !is_unset(member, *value))
            causes.push_back(
                errors::forbidden_field(path + "." + std::string(member), "cannot be set for an Ephemeral Container"));
}

/// Checks the names and images of the regular containers, and that no two containers of any list share a name.
/// @param volumes  Null: mounts are not checked.
void check_containers(const json::value& spec, const std::string& path, const std::set<std::string_view>* volumes,
                      std::vector<status_cause>& causes)
{
    if (const auto* regular = array_at(spec, "containers"); !regular || regular->empty())
        causes.push_back(errors::required(path + ".containers"));
    std::set<std::string_view> names;
    for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
        const auto* containers = array_at(spec, list);
        for (std::size_t i = 0; containers && i < containers->size(); ++i) {
            if (enough(causes)) return;
            const auto& container = (*containers)[i];
            const auto at = path + "." + std::string(list) + "[" + std::to_string(i) + "]";
            const auto name = text_at(container, "name");
            const bool regular = list == "containers";
            if (regular && name.empty()) causes.push_back(errors::required(at + ".name"));
            if (regular && text_at(container, "image").empty()) causes.push_back(errors::required(at + ".image"));
            if (!name.empty() && !is_label(name))
                causes.push_back(invalid_value(at + ".name", quote(name), label_rule));
            if (volumes) check_mounts(container, *volumes, at, causes);
            if (list == "ephemeralContainers") check_ephemeral_container(container, at, causes);
            if (!name.empty() && !names.insert(name).second)
                causes.push_back(errors::duplicate(at + ".name", quote(name)));
        }
    }
}

void check_template(const json::value& body, bool mounts, std::vector<status_cause>& causes)
{
    constexpr std::string_view path = "spec.template.spec";
    const auto* spec = find_at(body, path);
    if (!spec) {
        causes.push_back(errors::required(std::string(path) + ".containers"));
        return;
    }
    const auto volumes = volumes_of(*spec);
    check_containers(*spec, std::string(path), mounts ? &volumes : nullptr, causes);
}

} // namespace

void validate_pod(const json::value& body, std::vector<status_cause>& causes)
{
    static const json::value none;
    const auto* found = find_at(body, "spec");
    const auto& spec = found ? *found : none;
    const auto volumes = volumes_of(spec);
    check_containers(spec, "spec", &volumes, causes);
}

void validate_workload(const resource_info& info, const json::value& body, std::vector<status_cause>& causes)
{
    if (const auto replicas = int_at(body, "spec.replicas"); replicas < 0)
        causes.push_back(
            invalid_value("spec.replicas", std::to_string(replicas), "must be greater than or equal to 0"));
    const auto* selector = find_at(body, "spec.selector");
    validate_selector(selector, "spec.selector", causes);
    if (!selector || !selector->is_object()) {
        causes.push_back(errors::required("spec.selector"));
    } else if (const auto* match = object_at(*selector, "matchLabels")) {
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
    // The claims of a stateful set are volumes as well, and a kube-apiserver leaves its mounts to the pods.
    check_template(body, info.behaves != builtin::stateful_set, causes);
}

void validate_job(const json::value& body, std::vector<status_cause>& causes)
{
    check_template(body, true, causes);
    constexpr std::string_view path = "spec.template.spec.restartPolicy";
    const auto policy = text_at(body, path);
    if (policy.empty() || policy == "Always")
        causes.push_back(errors::required(std::string(path), R"(valid values: "OnFailure", "Never")"));
    else if (policy != "OnFailure" && policy != "Never")
        causes.push_back(errors::not_supported(std::string(path), quote(policy), R"("OnFailure", "Never")"));
}

} // namespace kubecoro::apiserver
