#include "select/log_sources.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/api/typed_selector.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace {

void append_names(std::vector<std::string>& out, value_view containers)
{
    for (const auto c : containers.items()) out.emplace_back(c["name"].as_string());
}

using requirement = label_selector::requirement;

requirement equals(std::string_view key, value_view value)
{
    requirement out;
    out.key = key;
    out.operation = label_selector::op::equals;
    out.values = {std::string(value.as_string())};
    return out;
}

} // namespace

std::vector<std::string> containers_of(const object& pod)
{
    std::vector<std::string> out;
    append_names(out, pod.path("spec.initContainers"));
    append_names(out, pod.path("spec.containers"));
    return out;
}

std::string default_container(const object& pod)
{
    const auto all = containers_of(pod);
    const std::string chosen(pod.annotations()["kubectl.kubernetes.io/default-container"].as_string());
    if (std::find(all.begin(), all.end(), chosen) != all.end()) return chosen;
    const auto first = pod.path("spec.containers")[std::size_t{0}];
    return std::string(first["name"].as_string());
}

result<std::string> pod_selector_of(const object& owner)
{
    const auto selector = owner.path("spec.selector");
    std::vector<requirement> all;
    if (selector["matchLabels"] || selector["matchExpressions"]) {
        const auto structured = selector_of(selector);
        if (!structured) return structured.error();
        all = structured->requirements();
    } else {
        // Services and ReplicationControllers have the labels themselves.
        for (auto [key, value] : selector.members()) all.push_back(equals(key, value));
    }
    if (all.empty())
        return failure(cond::invalid, "an object of kind " + std::string(owner.kind()) + " selects no pods");
    return label_selector(std::move(all)).to_string();
}

} // namespace kubecoro::tool
