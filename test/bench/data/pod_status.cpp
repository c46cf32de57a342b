#include "pod_draft.hpp"

#include <string>
#include <utility>

namespace json = boost::json;

namespace kubecoro::bench {
namespace {

json::object condition(std::string_view type, std::string_view since)
{
    return {{"type", type}, {"status", "True"}, {"lastProbeTime", nullptr}, {"lastTransitionTime", since}};
}

json::object container_status(const pod_draft& d, const std::string& name, std::size_t place_number, bool runs)
{
    const std::string started = place("started", place_number);
    const std::string id = "containerd://" + place("id", place_number);
    json::object terminated{
        {"exitCode", 0}, {"reason", "Completed"}, {"startedAt", started}, {"finishedAt", started}, {"containerID", id}};
    json::object state = runs ? json::object{{"running", {{"startedAt", started}}}}
                              : json::object{{"terminated", std::move(terminated)}};
    const bool own = name == d.work.app;
    const std::string image = d.image_of(name);
    const std::string digest =
        own ? d.work.image_digest : seeded(1, name.size(), static_cast<unsigned char>(name[0])).hex(64);
    json::object out{{"name", name},
                     {"state", std::move(state)},
                     {"lastState", json::object{}},
                     {"ready", true},
                     {"restartCount", own ? json::value("@{#restarts}") : json::value(0)},
                     {"image", image},
                     {"imageID", image.substr(0, image.rfind(':')) + "@sha256:" + digest},
                     {"containerID", id},
                     {"started", runs}};
    // Newer kubelets report mounts; small pods come from older ones.
    if (d.shape.full_containers || d.shape.own_values)
        out["volumeMounts"] = json::array{{{"name", "kube-api-access-@{token}"},
                                           {"mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"},
                                           {"readOnly", true},
                                           {"recursiveReadOnly", "Disabled"}}};
    return out;
}

} // namespace

json::object written_status(const pod_draft& d)
{
    json::object out{
        {"phase", "Running"},
        {"conditions",
         json::array{condition("PodReadyToStartContainers", "@{created}"), condition("Initialized", "@{created}"),
                     condition("Ready", "@{ready_at}"), condition("ContainersReady", "@{ready_at}")}},
        {"hostIP", place("host_ip")},
        {"hostIPs", json::array{{{"ip", place("host_ip")}}}},
        {"podIP", place("ip")},
        {"podIPs", json::array{{{"ip", place("ip")}}}},
        {"startTime", place("created")}};
    json::array statuses;
    for (unsigned i = 0; i < d.init_containers; ++i)
        statuses.push_back(container_status(d, "init-" + std::to_string(i), d.containers + i, false));
    if (d.init_containers > 0) out["initContainerStatuses"] = std::move(statuses);
    statuses = {};
    for (unsigned i = 0; i < d.containers; ++i) statuses.push_back(container_status(d, d.container_name(i), i, true));
    out["containerStatuses"] = std::move(statuses);
    return out;
}

json::object complete_status(const pod_draft& d, json::object written)
{
    written["conditions"].as_array().push_back(condition("PodScheduled", "@{created}"));
    written["qosClass"] = d.limited ? "Burstable" : "BestEffort";
    return written;
}

} // namespace kubecoro::bench
