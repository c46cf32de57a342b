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
    class counter
    {
    public:
        virtual ~counter() = default;
        virtual void add(double n = 1) noexcept = 0;
    };
    class gauge
    {
    public:
        virtual ~gauge() = default;
        virtual void set(double v) noexcept = 0;
    };
    class histogram
    {
    public:
        virtual ~histogram() = default;
        virtual void observe(double v) noexcept = 0;
    };

    virtual ~metrics() = default;
    [[nodiscard]] virtual std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels) = 0;
    [[nodiscard]] virtual std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels) = 0;
    [[nodiscard]] virtual std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels) = 0;
};

[[nodiscard]] std::shared_ptr<metrics> null_metrics();

} // namespace kubecoro
