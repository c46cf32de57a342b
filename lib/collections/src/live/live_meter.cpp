#include "live/live_meter.hpp"

#include <chrono>

namespace kubecoro::detail {

live_meter::series live_meter::make(const std::string& collection) const
{
    const metric_labels of{{"collection", collection}};
    return {.elements = sink_->make_gauge("kubecoro_collection_elements", of),
            .waiting = sink_->make_gauge("kubecoro_collection_waiting", of),
            .stale = sink_->make_gauge("kubecoro_collection_stale", of),
            .synced = sink_->make_gauge("kubecoro_collection_synced", of),
            .computed = sink_->make_counter("kubecoro_collection_computations_total", of),
            .failed = sink_->make_counter("kubecoro_collection_failures_total", of),
            .equal = sink_->make_counter("kubecoro_collection_equal_total", of),
            .took = sink_->make_counter("kubecoro_collection_seconds_total", of)};
}

void live_meter::publish(const live_queries_stats& s)
{
    if (!edges_) edges_ = sink_->make_gauge("kubecoro_collection_edges");
    edges_->set(static_cast<double>(s.edges));
    for (const auto& now : s.collections) {
        auto at = of_.find(now.name);
        if (at == of_.end()) at = of_.emplace(now.name, make(now.name)).first;
        auto& [name, to] = *at;
        to.elements->set(static_cast<double>(now.elements));
        to.waiting->set(static_cast<double>(now.waiting));
        to.stale->set(static_cast<double>(now.stale));
        to.synced->set(now.synced ? 1 : 0);
        to.computed->add(static_cast<double>(now.computed - to.counted.computed));
        to.failed->add(static_cast<double>(now.failed - to.counted.failed));
        to.equal->add(static_cast<double>(now.equal - to.counted.equal));
        to.took->add(std::chrono::duration<double>(now.took - to.counted.took).count());
        to.counted = now;
    }
}

} // namespace kubecoro::detail
