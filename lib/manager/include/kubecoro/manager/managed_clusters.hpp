#pragma once

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client_options.hpp>
#include <kubecoro/manager/access_right.hpp>
#include <kubecoro/manager/cluster_stats.hpp>
#include <kubecoro/manager/managed.hpp>
#include <kubecoro/manager/manager_options.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

namespace detail {
class cluster_set;
}

/// Options of manager::clusters().
struct clusters_options
{
    /// Name of the set, for logs and the label `clusters` of metrics.
    std::string name = "clusters";
    /// Maximum number of clusters at a time. Further ones wait until one leaves, in the order of their names; a log line
    /// says so.
    std::size_t max_clusters = 500;
    /// Maximum number of clusters that start at a time, until they are ready or have failed; others wait. One that is
    /// neither after 10 s goes on, but holds up no other. 0 = no limit.
    std::size_t max_starting = 20;
    /// Delays after a cluster could not be joined, or has failed.
    backoff_policy retry = {.initial = std::chrono::seconds{1}, .cap = std::chrono::minutes{1}};
    /// For the manager of each cluster: namespaces, sync_timeout, events and the like. Name, clock and log are those of the
    /// manager, with the cluster's name in each line; it never elects, but works while the manager leads. Its numbers are added up
    /// with those of the other clusters. Its grace period is at most four fifths of the manager's.
    manager_options each = {.progress = duration::zero()};
    /// For the client of each cluster: limits and time limits. Clock, log and metrics as above.
    client_options connection = {};
};

/// The rights that a set of clusters needs in each of them, see manager::rights_in_clusters().
struct cluster_rights
{
    /// The set's name.
    std::string clusters = {};
    /// The rights in each cluster.
    std::vector<access_right> rights = {};
};

/** A handle to the clusters of a manager. Cheap; copies refer to the same set. Destroying it changes nothing. remove() makes
    all of them leave, and ends the provider.

    Thread safe. A default-constructed handle counts as removed. */
class managed_clusters : public managed
{
public:
    managed_clusters() = default;
    /// Used by the manager.
    managed_clusters(std::weak_ptr<detail::manager_engine> engine, std::shared_ptr<detail::managed_part> part,
                     std::weak_ptr<detail::cluster_set> set);

    /// One entry for each cluster that is offered or has not left, by name. Any thread.
    [[nodiscard]] std::vector<cluster_stats> stats() const;

private:
    std::weak_ptr<detail::cluster_set> set_;
};

} // namespace kubecoro
