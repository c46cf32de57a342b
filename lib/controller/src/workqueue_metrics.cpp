#include "workqueue_metrics.hpp"

#include <algorithm>
#include <chrono>

namespace kubecoro {
namespace {

/// Never negative: a clock may be set back.
double seconds(duration d) noexcept { return std::max(0.0, std::chrono::duration<double>(d).count()); }

} // namespace

workqueue_metrics::workqueue_metrics(metrics& sink, const std::string& queue)
{
    const metric_labels labels{{"name", queue}};
    depth_ = sink.make_gauge("workqueue_depth", labels);
    adds_ = sink.make_counter("workqueue_adds_total", labels);
    queue_duration_ = sink.make_histogram("workqueue_queue_duration_seconds", labels);
    work_duration_ = sink.make_histogram("workqueue_work_duration_seconds", labels);
    unfinished_ = sink.make_gauge("workqueue_unfinished_work_seconds", labels);
    longest_ = sink.make_gauge("workqueue_longest_running_processor_seconds", labels);
    retries_ = sink.make_counter("workqueue_retries_total", labels);
}

void workqueue_metrics::added(std::size_t n, std::size_t depth) const noexcept
{
    adds_->add(static_cast<double>(n));
    depth_->set(static_cast<double>(depth));
}

void workqueue_metrics::handed(duration waited, std::size_t depth) const noexcept
{
    queue_duration_->observe(seconds(waited));
    depth_->set(static_cast<double>(depth));
}

void workqueue_metrics::finished(duration worked) const noexcept { work_duration_->observe(seconds(worked)); }

void workqueue_metrics::running(duration unfinished, duration longest) const noexcept
{
    unfinished_->set(seconds(unfinished));
    longest_->set(seconds(longest));
}

} // namespace kubecoro
