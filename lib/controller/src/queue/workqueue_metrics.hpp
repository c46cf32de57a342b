#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/metrics.hpp>

#include <boost/container/small_vector.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

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

    workqueue_metrics(metrics& sink, const std::string& queue);

    /// The total duration of all runs in progress, and the longest one.
    struct running_work
    {
        duration unfinished;
        duration longest;
    };
    /// The values collected by one locked section.
    struct report
    {
        std::size_t added = 0;
        std::size_t retried = 0;
        /// Waiting times of the keys handed out.
        boost::container::small_vector<duration, 1> waited = {};
        std::optional<duration> worked = {};
        std::optional<running_work> running = {};
    };
    void tell(const report& r) noexcept;

    /// The number of keys that need a run: the next tell() sets the gauge. Called with the lock held.
    void set_depth(std::size_t dirty) noexcept { now_dirty_ = dirty; }

private:
    void show_depth() noexcept;

    std::atomic<std::size_t> now_dirty_{0};
    std::shared_ptr<metrics::gauge> depth_;
    std::shared_ptr<metrics::counter> adds_;
    std::shared_ptr<metrics::histogram> queue_duration_;
    std::shared_ptr<metrics::histogram> work_duration_;
    std::shared_ptr<metrics::gauge> unfinished_;
    std::shared_ptr<metrics::gauge> longest_;
    std::shared_ptr<metrics::counter> retries_;
};

} // namespace kubecoro::detail
