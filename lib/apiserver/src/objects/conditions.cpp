#include "objects/conditions.hpp"

#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver::live {

const json::value* find_condition(const json::value& body, std::string_view type)
{
    if (const auto* all = array_at(body, "status.conditions"))
        for (const auto& c : *all)
            if (text_at(c, "type") == type) return &c;
    return nullptr;
}

bool has_condition(const json::value& body, std::string_view type)
{
    const auto* found = find_condition(body, type);
    return found && text_at(*found, "status") == "True";
}

namespace {

json::array& conditions_in(json::object& status)
{
    auto& all = status["conditions"];
    if (!all.is_array()) all = json::array{};
    return all.get_array();
}

} // namespace

void set_condition(json::object& status, const condition& c, wall_time now)
{
    auto& all = conditions_in(status);
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return text_at(each, "type") == c.type; });
    const std::string_view truth = c.holds ? "True" : "False";
    const auto time = format_time(now);
    json::object made{{"type", c.type}, {"status", truth}};
    if (c.has_update_time) made["lastUpdateTime"] = time;
    made["lastTransitionTime"] = time;
    if (!c.reason.empty()) made["reason"] = c.reason;
    if (!c.message.empty()) made["message"] = c.message;
    if (at == all.end()) {
        all.push_back(std::move(made));
        return;
    }
    const bool same_truth = text_at(*at, "status") == truth;
    if (same_truth && text_at(*at, "reason") == c.reason && text_at(*at, "message") == c.message) return;
    if (same_truth) made["lastTransitionTime"] = text_at(*at, "lastTransitionTime");
    *at = std::move(made);
}

void erase_condition(json::object& status, std::string_view type)
{
    auto& all = conditions_in(status);
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& each) { return text_at(each, "type") == type; }),
              all.end());
}

} // namespace kubecoro::apiserver::live
