#pragma once

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/cache/stats.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

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
    /// The label of a series beside those of its informer; empty: none.
    struct label
    {
        std::string_view name, value;
    };
    /// Orders series by the metric, a literal, and the value of that label; finds one without making a string.
    struct series_order
    {
        using is_transparent = void;
        template<class A, class B>
        bool operator()(const A& a, const B& b) const noexcept
        {
            return std::tie(a.first, a.second) < std::tie(b.first, b.second);
        }
    };
    template<class Instrument>
    using by_series = std::map<std::pair<std::string_view, std::string>, Instrument, series_order>;
    /// A counter that follows a sum.
    struct follower
    {
        std::shared_ptr<metrics::counter> to;
        std::uint64_t at = 0;
    };

    [[nodiscard]] metric_labels labels(label more) const;
    [[nodiscard]] follower& counter(std::string_view name, label more);
    void count(std::string_view name, std::uint64_t sum, label more = {});
    void show(std::string_view name, double value, label more = {});
    void publish(const informer_stats::consistency_checks& c);
    void publish(const std::vector<handler_stats>& handlers);
    /// Adds what the handlers of a name have counted since the last time to their series.
    void follow(handler_stats& counted, const handler_stats& now, label handler);

    std::shared_ptr<metrics> sink_;
    metric_labels own_;
    by_series<follower> counters_;
    by_series<std::shared_ptr<metrics::gauge>> gauges_;
    /// The handler series published last time.
    std::set<std::string> handlers_;
    /// The counts of the handlers of each name at that time.
    std::map<std::string, handler_stats> counted_;
};

} // namespace kubecoro::detail
