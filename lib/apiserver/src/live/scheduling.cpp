#include "live/scheduling.hpp"

#include "objects/stored_object.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <string_view>

namespace kubecoro::apiserver::live {
namespace {

constexpr std::string_view no_schedule = "NoSchedule", no_execute = "NoExecute";
constexpr std::string_view cordon = "node.kubernetes.io/unschedulable";

/// A key and an effect that the pods of daemon sets tolerate.
constexpr std::pair<std::string_view, std::string_view> daemon_tolerations[]{
    {"node.kubernetes.io/not-ready", no_execute},      {"node.kubernetes.io/unreachable", no_execute},
    {"node.kubernetes.io/disk-pressure", no_schedule}, {"node.kubernetes.io/memory-pressure", no_schedule},
    {"node.kubernetes.io/pid-pressure", no_schedule},  {cordon, no_schedule},
};
constexpr std::pair<std::string_view, std::string_view> host_network_toleration{
    "node.kubernetes.io/network-unavailable", no_schedule};

bool tolerates(const json::value& toleration, const node_taint& taint)
{
    if (const auto effect = text_at(toleration, "effect"); !effect.empty() && effect != taint.effect) return false;
    if (const auto key = text_at(toleration, "key"); !key.empty() && key != taint.key) return false;
    const auto op = text_at(toleration, "operator");
    if (op.empty() || op == "Equal") return text_at(toleration, "value") == taint.value;
    return op == "Exists";
}

bool tolerated(const json::value& pod_spec, const node_taint& taint)
{
    const auto* all = array_at(pod_spec, "tolerations");
    return all && std::any_of(all->begin(), all->end(), [&](const auto& each) { return tolerates(each, taint); });
}

bool selected(const json::value& pod_spec, const node_digest& node)
{
    const auto* selector = object_at(pod_spec, "nodeSelector");
    return !selector || std::all_of(selector->begin(), selector->end(), [&](const auto& wanted) {
        const std::pair label{std::string(wanted.key()), scalar_text(wanted.value())};
        return std::binary_search(node.labels.begin(), node.labels.end(), label);
    });
}

/// Why a node does not suit, in the order in which kube-scheduler asks; empty if it does.
std::string_view misfit(const json::value& pod_spec, const node_digest& node)
{
    if (node.unschedulable && !tolerated(pod_spec, {std::string(cordon), {}, std::string(no_schedule)}))
        return "node(s) were unschedulable";
    if (!std::all_of(node.taints.begin(), node.taints.end(), [&](const auto& t) { return tolerated(pod_spec, t); }))
        return "node(s) had untolerated taint(s)";
    if (!selected(pod_spec, node)) return "node(s) didn't match Pod's node affinity/selector";
    return {};
}

std::string problem_of(const std::map<std::string_view, std::size_t>& reasons, const json::value& pod_spec,
                       std::size_t nodes)
{
    if (nodes == 0) return "no nodes available to schedule pods";
    const auto none = "0/" + std::to_string(nodes) + " nodes are available: ";
    std::vector<std::string> texts;
    for (const auto& [reason, count] : reasons) texts.push_back(std::to_string(count) + " " + std::string(reason));
    std::sort(texts.begin(), texts.end());
    auto out = none;
    for (const auto& text : texts) out += (&text == &texts.front() ? "" : ", ") + text;
    out += ". preemption: ";
    if (text_at(pod_spec, "preemptionPolicy") == "Never") return out + "not eligible due to preemptionPolicy=Never.";
    return out + none + std::to_string(nodes) + " Preemption is not helpful for scheduling.";
}

} // namespace

node_digest node_digest_of(const stored_object& node)
{
    const auto body = to_json(node);
    node_digest d{.name = node.name, .labels = node.labels};
    const auto* cordoned = find_at(body, "spec.unschedulable");
    d.unschedulable = cordoned && cordoned->is_bool() && cordoned->get_bool();
    if (const auto* taints = array_at(body, "spec.taints"))
        for (const auto& t : *taints)
            if (const auto effect = text_at(t, "effect"); effect == no_schedule || effect == no_execute)
                d.taints.push_back(
                    {std::string(text_at(t, "key")), std::string(text_at(t, "value")), std::string(effect)});
    return d;
}

scheduling nodes_for_pod(const json::value& pod_spec, const node_table& nodes)
{
    scheduling out;
    std::map<std::string_view, std::size_t> reasons;
    for (const auto& [key, node] : nodes) {
        const auto why = misfit(pod_spec, node);
        if (why.empty())
            out.nodes.push_back(node.name);
        else
            ++reasons[why];
    }
    if (out.nodes.empty()) out.problem = problem_of(reasons, pod_spec, nodes.size());
    return out;
}

daemon_scheduling nodes_for_daemons(const json::value& pod_spec, const node_table& nodes)
{
    auto spec = pod_spec;
    add_daemon_tolerations(spec.get_object());
    daemon_scheduling out;
    for (const auto& [key, node] : nodes) {
        if (!selected(spec, node)) continue;
        bool wanted = true, kept = true;
        for (const auto& taint : node.taints) {
            if (tolerated(spec, taint)) continue;
            wanted = false;
            if (taint.effect == no_execute) kept = false;
        }
        if (wanted) out.wanted.push_back(node.name);
        if (kept) out.kept.push_back(node.name);
    }
    return out;
}

void add_daemon_tolerations(json::object& pod_spec)
{
    auto& list = pod_spec["tolerations"];
    if (!list.is_array()) list = json::array{};
    auto& all = list.get_array();
    const auto add = [&](const auto& toleration) {
        const json::value made{{"key", toleration.first}, {"operator", "Exists"}, {"effect", toleration.second}};
        if (std::find(all.begin(), all.end(), made) == all.end()) all.push_back(made);
    };
    for (const auto& each : daemon_tolerations) add(each);
    const auto* host = pod_spec.if_contains("hostNetwork");
    if (host && host->is_bool() && host->get_bool()) add(host_network_toleration);
}

} // namespace kubecoro::apiserver::live
