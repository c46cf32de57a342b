#pragma once

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace prometheus {
class Collectable;
}

namespace kubecoro {

/// Options of prometheus_metrics. Series beyond a limit are dropped and counted, never an error.
struct prometheus_options
{
    /// Time series of all names together, of which one name may have a tenth. A histogram counts as one. A series with a label of more
    /// than 256 bytes is dropped as well.
    std::size_t max_series = 10'000;
    /// Adds process_cpu_seconds_total, process_resident_memory_bytes and their like, read at each scrape.
    bool process = true;
};

/** Keeps metrics in a registry of prometheus-cpp, and writes them in the text format that Prometheus scrapes.

        auto numbers = std::make_shared<prometheus_metrics>();
        client_options.metrics = numbers;                                     // and of factories, controllers
        endpoint_server server(executor, {.prometheus = numbers});            // serves them at /metrics

    The names that the library records have their help texts and buckets; describe() adds those of other names before
    they are first used. Thread safe. Handles may outlive it. A name or label that Prometheus does not permit, and a
    name that is used for two types, drop the series like a limit does. */
class prometheus_metrics final : public metrics
{
public:
    /// Help text and buckets of one metric name.
    struct description
    {
        /// One sentence, shown as `# HELP`.
        std::string help = {};
        /// Upper bounds of a histogram's buckets, in rising order. Empty = 5 ms to 60 s.
        std::vector<double> buckets = {};
    };

    /// Begins without series, unless the options ask for those of the process.
    explicit prometheus_metrics(prometheus_options options = {});
    ~prometheus_metrics() override;
    prometheus_metrics(const prometheus_metrics&) = delete;
    prometheus_metrics& operator=(const prometheus_metrics&) = delete;

    [[nodiscard]] std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels = {}) override;
    [[nodiscard]] std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels = {}) override;
    [[nodiscard]] std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels = {}) override;
    [[nodiscard]] std::shared_ptr<gauge> make_transient_gauge(std::string_view name, metric_labels labels) override;

    /// Sets help and buckets of a name that is not in use yet. Errors: already_exists when it is; invalid when the
    /// buckets do not rise.
    result<> describe(std::string name, description about);
    /// Shows a collector of the program's own, such as its prometheus::Registry, as long as it exists.
    void add(std::weak_ptr<prometheus::Collectable> collector);

    /** The same metrics for a server of the program's own, such as prometheus::Exposer, whose RegisterCollectable() keeps no
        share of it: hold this object, or what is returned. */
    [[nodiscard]] std::shared_ptr<prometheus::Collectable> collectable() const;

    /// All metrics in the text format, version 0.0.4.
    [[nodiscard]] std::string text() const;
    /// Time series that were dropped; also shown as kubecoro_metrics_dropped_series_total.
    [[nodiscard]] std::uint64_t dropped_series() const noexcept;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
