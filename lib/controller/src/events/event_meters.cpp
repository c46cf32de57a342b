#include "events/event_meters.hpp"

#include <utility>

namespace kubecoro::detail {

event_meters::event_meters(metrics* sink, const std::string& component)
{
    if (sink == nullptr) return;
    using stats = event_recorder_stats;
    const metric_labels labels{{"component", component}};
    const auto add = [&](std::string_view name, std::uint64_t stats::*number) {
        lines_.emplace_back(number, sink->make_counter(name, labels));
    };
    add("kubecoro_events_recorded_total", &stats::recorded);
    add("kubecoro_events_repeated_total", &stats::repeated);
    add("kubecoro_events_created_total", &stats::created);
    add("kubecoro_events_updated_total", &stats::updated);
    add("kubecoro_events_retried_total", &stats::retried);
    const auto add_dropped = [&](std::string reason, std::uint64_t stats::*number) {
        const metric_labels with_reason{{"component", component}, {"reason", std::move(reason)}};
        lines_.emplace_back(number, sink->make_counter("kubecoro_events_dropped_total", with_reason));
    };
    add_dropped("spam", &stats::dropped_spam);
    add_dropped("full", &stats::dropped_full);
    add_dropped("refused", &stats::dropped_refused);
    add_dropped("failed", &stats::dropped_failed);
    add_dropped("stopped", &stats::dropped_stopped);
    pending_ = sink->make_gauge("kubecoro_events_pending", labels);
}

void event_meters::show(const event_recorder_stats& now) noexcept
{
    for (line& l : lines_) {
        const std::uint64_t number = now.*l.number;
        // Several threads may come in any order: each step is added once.
        std::uint64_t shown = l.shown;
        while (shown < number && !l.shown.compare_exchange_weak(shown, number)) {
        }
        if (shown < number) l.counter->add(static_cast<double>(number - shown));
    }
    if (pending_) pending_->set(static_cast<double>(now.pending));
}

} // namespace kubecoro::detail
