#pragma once

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/cache/stats.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace kubecoro::detail {

/** Publishes an informer's stats as metrics: reads them periodically, so that an event has no extra cost.

    Time series: about fifty per informer and nine per named handler. Not thread safe. */
class informer_meter
{
public:
    /// @param informer  Distinguishes it from other informers of the same resource.
    informer_meter(std::shared_ptr<metrics> sink, std::string informer, std::string resource);

    void publish(const informer_stats& s);

private:
    /// A counter that follows a sum.
    struct follower
    {
        std::shared_ptr<metrics::counter> to;
        std::uint64_t at = 0;
    };

    [[nodiscard]] metric_labels labels(const metric_labels& more) const;
    [[nodiscard]] follower& counter(const std::string& name, const metric_labels& more);
    void count(const std::string& name, std::uint64_t sum, const metric_labels& more = {});
    /// Adds what a handler has counted since the last time to its series.
    void count_of(const std::string& handler, const std::string& name, std::uint64_t sum);
    void show(const std::string& name, double value, const metric_labels& more = {});
    void publish(const consistency_stats& c);
    void publish(const std::vector<handler_stats>& handlers);

    std::shared_ptr<metrics> sink_;
    metric_labels own_;
    std::map<std::pair<std::string, metric_labels>, follower> counters_;
    std::map<std::pair<std::string, metric_labels>, std::shared_ptr<metrics::gauge>> gauges_;
    /// The handler series published last time.
    std::set<std::string> handlers_;
    /// The counts of each handler at that time, by handler and counter.
    std::map<std::pair<std::string, std::string>, std::uint64_t> handler_counts_;
};

} // namespace kubecoro::detail
