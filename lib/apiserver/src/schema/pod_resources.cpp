#include "schema/pod_resources.hpp"

#include "text/json_text.hpp"

#include <kubecoro/api/quantity.hpp>

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

} // namespace

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

} // namespace kubecoro::apiserver
