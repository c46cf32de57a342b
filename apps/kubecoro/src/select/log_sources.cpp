#include "select/log_sources.hpp"

#include <kubecoro/api/selector.hpp>

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

result<requirement> from_expression(value_view expression)
{
    requirement out;
    out.key = expression["key"].as_string();
    for (const auto v : expression["values"].items()) out.values.emplace_back(v.as_string());
    std::sort(out.values.begin(), out.values.end());
    const auto word = expression["operator"].as_string();
    if (word == "In")
        out.operation = label_selector::op::in;
    else if (word == "NotIn")
        out.operation = label_selector::op::not_in;
    else if (word == "Exists")
        out.operation = label_selector::op::exists;
    else if (word == "DoesNotExist")
        out.operation = label_selector::op::not_exists;
    else
        return failure(cond::invalid, "the selector of the object has an unknown operator");
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
    const bool structured = selector["matchLabels"] || selector["matchExpressions"];
    // Services and ReplicationControllers have the labels themselves.
    for (auto [key, value] : (structured ? selector["matchLabels"] : selector).members())
        all.push_back(equals(key, value));
    for (const auto expression : selector["matchExpressions"].items()) {
        auto one = from_expression(expression);
        if (!one) return one.error();
        all.push_back(std::move(*one));
    }
    if (all.empty())
        return failure(cond::invalid, "an object of kind " + std::string(owner.kind()) + " selects no pods");
    return label_selector(std::move(all)).to_string();
}

} // namespace kubecoro::tool
