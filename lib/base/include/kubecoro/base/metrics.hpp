#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/// Label names and values of one time series. The caller limits their cardinality: configuration only, never object
/// names.
using metric_labels = std::vector<std::pair<std::string, std::string>>;

/** Receives metrics: an interface implemented by the program. The default, null_metrics(), drops everything.

    Implementations are thread safe. Handles are resolved once and kept: recording is then one virtual call. */
class metrics
{
public:
    /// A number that only grows.
    class counter
    {
    public:
        virtual ~counter() = default;
        /// Adds `n`, which is not negative.
        virtual void add(double n = 1) noexcept = 0;
    };
    /// A number that goes up and down.
    class gauge
    {
    public:
        virtual ~gauge() = default;
        /// Replaces the value.
        virtual void set(double v) noexcept = 0;
    };
    /// A distribution of observed values.
    class histogram
    {
    public:
        virtual ~histogram() = default;
        /// Adds one observation.
        virtual void observe(double v) noexcept = 0;
    };

    virtual ~metrics() = default;
    /// Returns the counter of this name and labels.
    [[nodiscard]] virtual std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels = {}) = 0;
    /// Returns the gauge of this name and labels.
    [[nodiscard]] virtual std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels = {}) = 0;
    /// Returns the histogram of this name and labels.
    [[nodiscard]] virtual std::shared_ptr<histogram> make_histogram(std::string_view name,
                                                                    metric_labels labels = {}) = 0;
    /// A gauge whose series ends with the last handle to it, for things that come and go, such as the clusters of a program. The same name
    /// and labels give the same series; one that make_gauge() has made is none of these, and stays. Null, as by default: the sink cannot
    /// end a series.
    [[nodiscard]] virtual std::shared_ptr<gauge> make_transient_gauge(std::string_view, metric_labels)
    {
        return nullptr;
    }
};

/// A sink that drops everything.
[[nodiscard]] std::shared_ptr<metrics> null_metrics();

} // namespace kubecoro
