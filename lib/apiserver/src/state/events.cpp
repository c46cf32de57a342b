#include "state/events.hpp"

#include "render/json_text.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/apiserver/cluster_state_core.hpp>

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

stored cluster_state_core::event_in(const resource_store& other, const stored& event) const
{
    auto body = event_form(to_json(*event), other.info.group.empty());
    settle(other.info, body);
    return make_stored(other.info, body, event->version);
}

// Both forms are kept, so that lists, watches and selectors of either group work as for any other resource.
void cluster_state_core::mirror_event(const resource_store& written, const stored& event, bool gone)
{
    const auto other = find(written.info.group.empty() ? "events.k8s.io" : "", "events");
    const auto before = other->find(event->key);
    const auto type = gone ? change_type::deleted : before ? change_type::modified : change_type::added;
    other->record({type, event->version, before, event_in(*other, event)});
    bound_history();
    changed(*other);
}

} // namespace kubecoro::apiserver
