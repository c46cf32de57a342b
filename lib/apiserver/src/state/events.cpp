#include "schema/kind_validation.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/cluster_state_core.hpp>

namespace kubecoro::apiserver {

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
