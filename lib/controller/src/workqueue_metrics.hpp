#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/metrics.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace kubecoro {

/** client-go's workqueue metrics, under their names, with the queue's name as label. Durations are seconds. */
class workqueue_metrics
{
public:
    /// How often the gauges of running work are set.
    static constexpr std::chrono::milliseconds interval{500};

    workqueue_metrics(metrics& sink, const std::string& queue);

    void added(std::size_t n, std::size_t depth) const noexcept;
    void retried(std::size_t n) const noexcept { retries_->add(static_cast<double>(n)); }
    void handed(duration waited, std::size_t depth) const noexcept;
    void finished(duration worked) const noexcept;
    /// @param unfinished  Of all running work together. @param longest  Of the longest running.
    void running(duration unfinished, duration longest) const noexcept;

private:
    std::shared_ptr<metrics::gauge> depth_;
    std::shared_ptr<metrics::counter> adds_;
    std::shared_ptr<metrics::histogram> queue_duration_;
    std::shared_ptr<metrics::histogram> work_duration_;
    std::shared_ptr<metrics::gauge> unfinished_;
    std::shared_ptr<metrics::gauge> longest_;
    std::shared_ptr<metrics::counter> retries_;
};

} // namespace kubecoro
