#pragma once
// One set of series for all clusters of a set: tenants who register clusters cannot add series.

#include <kubecoro/base/metrics.hpp>

#include <memory>
#include <string>

namespace kubecoro::detail {

/** The metrics of a set of clusters: counters and histograms of all clusters add up, and so do gauges, but for times
    (`..._seconds`) and versions, of which the greatest counts, and ends of certificates (`..._expiry_timestamp_seconds`), of which
    the least counts. The labels `host` and `server` are "any". Each cluster gets a sink of its own; a gauge counts as long as its
    handle lives, with its last finite value. Objects and keys that wait are shown by cluster as well, as long as it has them, by
    a sink that can end a series. Thread safe. */
class summed_metrics
{
public:
    /// @param set  Value of the label `clusters`, which keeps the series apart from those of the program's own cluster.
    summed_metrics(std::shared_ptr<metrics> out, std::string set);

    /// For one cluster.
    [[nodiscard]] std::shared_ptr<metrics> sink(std::string cluster) const;

private:
    class state;
    class member_sink;
    class member_gauge;
    class total;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro::detail
