#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/metrics.hpp>

#include <boost/container/small_vector.hpp>
#include <boost/container/static_vector.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/** client-go's workqueue metrics, under their original names, labelled with the queue's name. Durations are in
    seconds.

    The sink is user code and is never called with the queue's lock held: a locked section collects a report, and
    tell() passes it on afterwards. Thread safe. */
class workqueue_metrics
{
public:
    /// Interval at which the gauges of running work are set.
    static constexpr std::chrono::milliseconds interval{500};

    /// @param fair  Whether keys have classes.
    workqueue_metrics(metrics& sink, const std::string& queue, bool fair);

    /// Number of classes whose depths are shown.
    static constexpr std::size_t ranks = 10;
    /// The values that are set at intervals.
    struct gauges
    {
        /// The total duration of all runs in progress, and the longest one.
        duration unfinished;
        duration longest;
        /// How long the oldest ready key has been waiting.
        duration oldest;
        /// Ready keys of the largest classes, in falling order.
        boost::container::static_vector<std::size_t, ranks> classes = {};
    };
    /// The values collected by one locked section.
    struct report
    {
        std::size_t added = 0;
        std::size_t retried = 0;
        /// Waiting times of the keys handed out.
        boost::container::small_vector<duration, 1> waited = {};
        std::optional<duration> worked = {};
        std::optional<workqueue_metrics::gauges> gauges = {};
    };
    void tell(const report& r) noexcept;

    /// The number of keys that need a run: the next tell() sets the gauge. Called with the lock held.
    void set_depth(std::size_t dirty) noexcept { now_dirty_ = dirty; }

private:
    void show_depth() noexcept;
    void show(const gauges& g) noexcept;

    std::atomic<std::size_t> now_dirty_{0};
    std::shared_ptr<metrics::gauge> depth_;
    std::shared_ptr<metrics::counter> adds_;
    std::shared_ptr<metrics::histogram> queue_duration_;
    std::shared_ptr<metrics::histogram> work_duration_;
    std::shared_ptr<metrics::gauge> unfinished_;
    std::shared_ptr<metrics::gauge> longest_;
    std::shared_ptr<metrics::gauge> oldest_;
    /// By rank, not by name: tenants must not make series.
    std::vector<std::shared_ptr<metrics::gauge>> class_depths_;
    std::shared_ptr<metrics::counter> retries_;
};

} // namespace kubecoro::detail
