#pragma once

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/manager/cluster_stats.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kubecoro::detail {

/** kubecoro_clusters, by state, and kubecoro_cluster_ready, by name. Names come from tenants: a series ends when its cluster
    has left, and where the sink cannot end one, only the first names get one. Thread safe. */
class cluster_meters
{
public:
    /// @param most_names  Maximum number of series by name.
    cluster_meters(std::shared_ptr<metrics> out, std::string set, std::size_t most_names);

    /// A cluster's state has changed. @param from  Empty: it is new. @param to  Empty: it is gone.
    void moved(const std::string& name, std::optional<cluster_state> from, std::optional<cluster_state> to);
    /// How many clusters wait for a place.
    void waiting(std::size_t clusters);

private:
    [[nodiscard]] std::shared_ptr<metrics::gauge> make_ready(const std::string& name);
    [[nodiscard]] metrics::gauge* ready_of(const std::string& name);

    const std::shared_ptr<metrics> out_;
    const std::string set_;
    const std::size_t most_names_;
    std::mutex mutex_;
    bool ending_ = false;                                          // whether the sink can end a series; under the mutex
    std::array<std::size_t, 5> counts_{};                          // under the mutex
    std::array<std::shared_ptr<metrics::gauge>, 5> by_state_;      // under the mutex
    std::map<std::string, std::shared_ptr<metrics::gauge>> ready_; // under the mutex
};

} // namespace kubecoro::detail
