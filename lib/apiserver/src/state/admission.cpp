#include "state/admission.hpp"

#include "objects/registry.hpp"
#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view not_ready = "node.kubernetes.io/not-ready";

/// How long a pod stays on a node that is lost, unless it says so itself.
constexpr int toleration_seconds = 300;

bool is_true(const json::value& v, std::string_view path)
{
    const auto* flag = find_at(v, path);
    return flag && flag->is_bool() && flag->get_bool();
}

void add_tolerations(json::object& spec)
{
    auto& list = spec["tolerations"];
    if (!list.is_array()) list = json::array{};
    auto& all = list.get_array();
    for (const std::string_view taint : {not_ready, std::string_view("node.kubernetes.io/unreachable")}) {
        const bool tolerated = std::any_of(all.begin(), all.end(), [&](const json::value& t) {
            const auto key = text_at(t, "key");
            const auto effect = text_at(t, "effect");
            return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
        });
        if (tolerated) continue;
        all.push_back({{"key", taint},
                       {"operator", "Exists"},
                       {"effect", "NoExecute"},
                       {"tolerationSeconds", toleration_seconds}});
    }
}

bool is_given(const json::object& spec, std::string_view member)
{
    const auto* value = spec.if_contains(member);
    return value && !value->is_null();
}

void keep_priority(const json::value& before, json::object& spec)
{
    for (const std::string_view member : {"priority", "preemptionPolicy"})
        if (const auto* had = find_at(before, "spec." + std::string(member)); had && !is_given(spec, member))
            spec[member] = *had;
}

std::optional<status_error> set_priority(priority_classes& classes, const resource_info& info, json::value& pod,
                                         bool keep)
{
    const std::string stated(text_at(pod, "spec.priorityClassName"));
    const auto name = text_at(pod, "metadata.name");
    auto found = stated.empty() ? classes.standard() : classes.find(stated);
    if (!found && !stated.empty() && !keep)
        return errors::forbidden(info, name, "no PriorityClass with name " + stated + " was found");
    if (!found) found.emplace();
    const auto& p = *found;
    auto& spec = pod.at("spec").get_object();
    const auto differs = [&](std::string_view member, const json::value& value) {
        return !keep && is_given(spec, member) && spec.at(member) != value;
    };
    constexpr std::string_view computed = "; priority admission controller computed ";
    constexpr std::string_view from_class = " from the given PriorityClass name";
    if (differs("priority", json::value(p.value)))
        return errors::forbidden(info, name,
                                 "the integer value of priority (" + scalar_text(spec.at("priority")) +
                                     ") must not be provided in pod spec" + std::string(computed) +
                                     std::to_string(p.value) + std::string(from_class));
    if (!p.preemption.empty() && differs("preemptionPolicy", json::value(std::string_view(p.preemption))))
        return errors::forbidden(info, name,
                                 "the string value of PreemptionPolicy (" + scalar_text(spec.at("preemptionPolicy")) +
                                     ") must not be provided in pod spec" + std::string(computed) + p.preemption +
                                     std::string(from_class));
    if (stated.empty() && !p.name.empty()) spec["priorityClassName"] = p.name;
    default_member(spec, "priority", json::value(p.value));
    if (!p.preemption.empty()) default_member(spec, "preemptionPolicy", json::value(std::string_view(p.preemption)));
    return {};
}

} // namespace

std::optional<priority_classes::priority> priority_classes::find(std::string_view name)
{
    follow();
    if (const auto at = by_key_.find(storage_key("", name)); at != by_key_.end()) return at->second;
    const auto* const own = find_system_priority_class(name);
    if (!own) return {};
    return priority{.name = std::string(name), .value = own->value};
}

std::optional<priority_classes::priority> priority_classes::standard()
{
    follow();
    if (defaults_.empty()) return {};
    return by_key_.at(defaults_.begin()->second);
}

void priority_classes::clear()
{
    by_key_.clear();
    defaults_.clear();
}

void priority_classes::put(const stored& object)
{
    const auto body = to_json(*object);
    priority p{.name = object->name, .value = int_at(body, "value")};
    p.preemption = text_at(body, "preemptionPolicy");
    p.is_default = is_true(body, "globalDefault");
    if (p.is_default) defaults_.emplace(p.value, object->key);
    by_key_.insert_or_assign(object->key, std::move(p));
}

void priority_classes::erase(const std::string& key)
{
    const auto at = by_key_.find(key);
    if (at == by_key_.end()) return;
    defaults_.erase({at->second.value, key});
    by_key_.erase(at);
}

std::optional<status_error> admit_pod(priority_classes& classes, const resource_info& info, const json::value* before,
                                      json::value& pod, bool keep)
{
    auto& spec = object_member(pod.get_object(), "spec");
    if (before)
        keep_priority(*before, spec);
    else if (auto refused = set_priority(classes, info, pod, keep))
        return refused;
    add_tolerations(spec);
    return {};
}

bool set_not_ready_taint(json::value& node, bool tainted)
{
    auto& spec = object_member(node.get_object(), "spec");
    auto& list = spec["taints"];
    if (!list.is_array()) list = json::array{};
    auto& taints = list.get_array();
    const auto own = std::find_if(taints.begin(), taints.end(), [](const json::value& t) {
        return text_at(t, "key") == not_ready && text_at(t, "effect") == "NoSchedule";
    });
    const bool changes = tainted == (own == taints.end());
    if (changes && tainted)
        taints.push_back({{"key", not_ready}, {"effect", "NoSchedule"}});
    else if (changes)
        taints.erase(own);
    if (taints.empty()) spec.erase("taints");
    return changes;
}

void admit_node(json::value& node) { (void)set_not_ready_taint(node, true); }

std::optional<status_error> admit_priority_class(priority_classes& classes, const resource_info& info,
                                                 const json::value& after)
{
    if (!is_true(after, "globalDefault")) return {};
    const auto present = classes.standard();
    const auto name = text_at(after, "metadata.name");
    if (!present || present->name == name) return {};
    return errors::forbidden(
        info, name, "PriorityClass " + present->name + " is already marked as default. Only one default can exist");
}

} // namespace kubecoro::apiserver
