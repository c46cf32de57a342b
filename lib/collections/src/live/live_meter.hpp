#pragma once

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/collections/live_queries.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace kubecoro::detail {

/// Publishes stats as metrics: about nine series for each collection. Not thread safe.
class live_meter
{
public:
    explicit live_meter(std::shared_ptr<metrics> sink) : sink_(sink ? std::move(sink) : null_metrics()) {}

    void publish(const live_queries_stats& s);

private:
    struct series
    {
        std::shared_ptr<metrics::gauge> elements, waiting, stale, synced;
        std::shared_ptr<metrics::counter> computed, failed, equal, took;
        collection_stats counted = {};
    };
    [[nodiscard]] series make(const std::string& collection) const;

    std::shared_ptr<metrics> sink_;
    std::map<std::string, series> of_;
    std::shared_ptr<metrics::gauge> edges_;
};

} // namespace kubecoro::detail
