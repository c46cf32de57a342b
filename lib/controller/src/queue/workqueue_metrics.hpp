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

/** client-go's workqueue metrics, under their names, with the queue's name as label. Durations are seconds.

    The sink is the user's and is never called with the queue's lock held: a hold of the lock notes what there is to tell
    in a report, which tells it afterwards. Thread safe. */
class workqueue_metrics
{
public:
    /// How often the gauges of running work are set.
    static constexpr std::chrono::milliseconds interval{500};

    workqueue_metrics(metrics& sink, const std::string& queue);

    /// All running work together, and the longest running.
    struct running_work
    {
        duration unfinished;
        duration longest;
    };
    /// What one hold of the lock has to tell.
    struct report
    {
        std::size_t added = 0;
        std::size_t retried = 0;
        /// Of the keys handed out.
        boost::container::small_vector<duration, 1> waited = {};
        std::optional<duration> worked = {};
        std::optional<running_work> running = {};
    };
    void tell(const report& r) noexcept;

    /// The keys that want a run: the gauge is set by the next tell(). Called with the lock held.
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
