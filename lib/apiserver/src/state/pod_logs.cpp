// The containers of a pod and their logs, with the words of kube-apiserver.
#include "objects/status_errors.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::apiserver {
namespace {

std::vector<std::string> names_in(const json::value& pod, std::string_view list)
{
    std::vector<std::string> names;
    if (const auto* containers = array_at(pod, list))
        for (const auto& c : *containers) names.emplace_back(text_at(c, "name"));
    return names;
}

/// As Go prints a list: [a b].
std::string listed(const std::vector<std::string>& names)
{
    std::string out = "[";
    for (const auto& name : names) out += (out.size() > 1 ? " " : "") + name;
    return out + "]";
}

status_error must_choose(const json::value& pod, const std::string& name, const std::vector<std::string>& containers)
{
    std::string message = "a container name must be specified for pod " + name;
    if (containers.empty()) return errors::bad_request(std::move(message));
    message += ", choose one of: " + listed(containers);
    const auto initial = names_in(pod, "spec.initContainers");
    if (!initial.empty()) message += " or one of the init containers: " + listed(initial);
    return errors::bad_request(std::move(message));
}

} // namespace

answer<cluster_state_core::container_place> cluster_state_core::find_container(const container_address& at) const
{
    const auto pods = find("", "pods");
    const auto found = pods->find(storage_key(at.ns, at.pod));
    if (!found) return errors::not_found(pods->info, at.pod);
    const auto pod = to_json(*found);
    const auto containers = names_in(pod, "spec.containers");
    if (at.container.empty()) {
        if (containers.size() != 1) return must_choose(pod, at.pod, containers);
        return container_place{found->uid, containers.front()};
    }
    for (const std::string_view list : {"spec.containers", "spec.initContainers", "spec.ephemeralContainers"}) {
        const auto names = names_in(pod, list);
        if (std::find(names.begin(), names.end(), at.container) != names.end())
            return container_place{found->uid, at.container};
    }
    return errors::bad_request("container " + at.container + " is not valid for pod " + at.pod);
}

answer<void> cluster_state_core::write_log(const container_address& at, log_change how, std::string_view text,
                                           wall_time now)
{
    const auto place = find_container(at);
    if (!place) return place.error();
    if (how == log_change::restart) logs_.restart(place->uid, place->container);
    logs_.append(place->uid, place->container, text, now);
    if (how == log_change::end) logs_.end(place->uid, place->container);
    if (listener_) std::as_const(listener_)(log_resource);
    return {};
}

void cluster_state_core::forget_logs(const stored_object& pod)
{
    logs_.forget(pod.uid);
    if (listener_) std::as_const(listener_)(log_resource);
}

} // namespace kubecoro::apiserver
