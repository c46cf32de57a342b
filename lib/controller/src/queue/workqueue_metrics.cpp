#include "queue/workqueue_metrics.hpp"

#include <algorithm>
#include <chrono>

namespace kubecoro::detail {
namespace {

/// Never negative, because a clock may be set back.
double seconds(duration d) noexcept { return std::max(0.0, std::chrono::duration<double>(d).count()); }

} // namespace

workqueue_metrics::workqueue_metrics(metrics& sink, const std::string& queue, bool fair)
{
    const metric_labels labels{{"name", queue}};
    depth_ = sink.make_gauge("workqueue_depth", labels);
    adds_ = sink.make_counter("workqueue_adds_total", labels);
    queue_duration_ = sink.make_histogram("workqueue_queue_duration_seconds", labels);
    work_duration_ = sink.make_histogram("workqueue_work_duration_seconds", labels);
    unfinished_ = sink.make_gauge("workqueue_unfinished_work_seconds", labels);
    longest_ = sink.make_gauge("workqueue_longest_running_processor_seconds", labels);
    retries_ = sink.make_counter("workqueue_retries_total", labels);
    oldest_ = sink.make_gauge("kubecoro_workqueue_oldest_key_seconds", labels);
    for (std::size_t rank = 1; fair && rank <= ranks; ++rank)
        class_depths_.push_back(
            sink.make_gauge("kubecoro_workqueue_class_depth", {{"name", queue}, {"rank", std::to_string(rank)}}));
}

void workqueue_metrics::tell(const report& r) noexcept
{
    if (r.added != 0) adds_->add(static_cast<double>(r.added));
    if (r.retried != 0) retries_->add(static_cast<double>(r.retried));
    for (const auto waited : r.waited) queue_duration_->observe(seconds(waited));
    if (r.worked) work_duration_->observe(seconds(*r.worked));
    if (r.gauges) show(*r.gauges);
    if (r.added != 0 || !r.waited.empty()) show_depth();
}

void workqueue_metrics::show(const gauges& g) noexcept
{
    unfinished_->set(seconds(g.unfinished));
    longest_->set(seconds(g.longest));
    oldest_->set(seconds(g.oldest));
    for (std::size_t n = 0; n < class_depths_.size(); ++n)
        class_depths_[n]->set(n < g.classes.size() ? static_cast<double>(g.classes[n]) : 0.0);
}

void workqueue_metrics::show_depth() noexcept
{
    // Several threads may set the gauge: the last one to set it has seen the last change.
    std::size_t shown = 0;
    do {
        shown = now_dirty_;
        depth_->set(static_cast<double>(shown));
    } while (shown != now_dirty_);
}

} // namespace kubecoro::detail
