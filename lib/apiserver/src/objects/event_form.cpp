#include "objects/event_form.hpp"

#include "text/json_text.hpp"

#include <string_view>
#include <utility>

namespace kubecoro::apiserver {
namespace {

/// The members whose names differ: in the core group, and in events.k8s.io.
constexpr std::pair<std::string_view, std::string_view> names[]{
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

std::string_view other_name(std::string_view name, bool core)
{
    for (const auto& [in_core, in_events] : names)
        if (name == (core ? in_events : in_core)) return core ? in_core : in_events;
    return name;
}

} // namespace

json::value event_form(json::value event, bool core)
{
    json::object out;
    for (auto& [key, member] : event.get_object()) out.emplace(other_name(key, core), std::move(member));
    return out;
}

} // namespace kubecoro::apiserver
