#pragma once

#include <kubecoro/base/metrics.hpp>

#include <memory>
#include <string_view>

namespace kubecoro {

/// A sink of metrics whose series can end: those of things that come and go, such as the clusters of a program. An interface beside
/// `metrics`, which a sink implements as well if it can; prometheus_metrics does. Thread safe.
class transient_metrics
{
public:
    virtual ~transient_metrics() = default;
    /// A gauge whose series ends with the last handle to it. The same name and labels give the same series. A series that make_gauge()
    /// has made is none of these, and stays.
    [[nodiscard]] virtual std::shared_ptr<metrics::gauge> make_transient_gauge(std::string_view name,
                                                                               metric_labels labels) = 0;
};

} // namespace kubecoro
