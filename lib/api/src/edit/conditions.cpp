// Conditions of a status.
#include "edit/edited_list.hpp"
#include "text/go_text.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <chrono>

namespace kubecoro {

namespace json = boost::json;

namespace {

bool has_type(const json::value& c, std::string_view type)
{
    const auto* found = detail::member_in(c, "type");
    return found && detail::is_text(*found, type);
}

/// Assigns if that changes the member. Returns whether it does.
bool assign(json::object& o, std::string_view name, json::value value)
{
    auto* member = o.if_contains(name);
    if (member && *member == value) return false;
    o[name] = std::move(value);
    return true;
}

/// The same for a text; a server drops an empty one from some kinds, so it is the same as none.
bool assign_text(json::object& o, std::string_view name, std::string_view text)
{
    return (!text.empty() || o.contains(name)) && assign(o, name, json::value(text));
}

std::string text_of(wall_time t)
{
    detail::time_texts texts;
    return std::string(texts.time(std::chrono::floor<std::chrono::seconds>(t).time_since_epoch().count()));
}

json::object& condition_of(json::object& o, std::string_view type)
{
    auto& conditions = detail::list_at(o, {"status", "conditions"});
    for (auto& c : conditions)
        if (has_type(c, type)) return c.get_object();
    auto& fresh = conditions.emplace_back(json::object()).get_object();
    fresh["type"] = type;
    fresh["reason"] = "";
    fresh["message"] = "";
    return fresh;
}

} // namespace

bool set_condition(json::object& o, const status_condition& c, wall_time now)
{
    auto& condition = condition_of(o, c.type);
    bool changed = assign(condition, "status", json::value(std::string_view(c.status)));
    if (changed || !condition.contains("lastTransitionTime"))
        changed |= assign(condition, "lastTransitionTime", json::value(std::string_view(text_of(now))));
    changed |= assign_text(condition, "reason", c.reason);
    changed |= assign_text(condition, "message", c.message);
    if (c.observed_generation) changed |= assign(condition, "observedGeneration", *c.observed_generation);
    return changed;
}

bool remove_condition(json::object& o, std::string_view type)
{
    return detail::erase_items(o, {"status", "conditions"}, [&](const json::value& c) { return has_type(c, type); });
}

value_view find_condition(const object& o, std::string_view type) noexcept
{
    for (const auto c : o["status"]["conditions"].items())
        if (c["type"].as_string() == type) return c;
    return {};
}

} // namespace kubecoro
