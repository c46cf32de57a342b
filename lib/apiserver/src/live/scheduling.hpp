// Which nodes suit a pod, by selector, taints and cordon, in the words of kube-scheduler. No I/O.
#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {
struct stored_object;
}

namespace kubecoro::apiserver::live {

struct node_taint
{
    std::string key;
    std::string value;
    std::string effect;
};

/// The facts about a node that scheduling needs.
struct node_digest
{
    std::string name = {};
    /// Sorted.
    std::vector<std::pair<std::string, std::string>> labels = {};
    /// Those that keep pods away: NoSchedule and NoExecute.
    std::vector<node_taint> taints = {};
    /// Cordoned.
    bool unschedulable = false;
};

[[nodiscard]] node_digest node_digest_of(const stored_object& node);

/// By key.
using node_table = std::map<std::string, node_digest>;

/// The nodes that a pod fits, by name.
struct scheduling
{
    std::vector<std::string> nodes = {};
    /// Why there are none.
    std::string problem = {};
};
[[nodiscard]] scheduling nodes_for_pod(const boost::json::value& pod_spec, const node_table& nodes);

/// The nodes for the pods of a daemon set, which may run on cordoned nodes and on those in trouble.
struct daemon_scheduling
{
    /// Each has a pod.
    std::vector<std::string> wanted = {};
    /// A pod that runs there stays: only taints that new pods do not tolerate have been added.
    std::vector<std::string> kept = {};
};
[[nodiscard]] daemon_scheduling nodes_for_daemons(const boost::json::value& pod_spec, const node_table& nodes);

/// Adds the tolerations that the pods of daemon sets have.
void add_daemon_tolerations(boost::json::object& pod_spec);

} // namespace kubecoro::apiserver::live
