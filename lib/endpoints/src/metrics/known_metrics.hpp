// Help texts and buckets of the metrics that the library records.
#pragma once

#include <span>
#include <string_view>

namespace kubecoro::detail {

struct known_metric
{
    std::string_view name;
    std::string_view help;
    /// Bounds of a histogram's buckets. Empty = the usual ones.
    std::span<const double> buckets = {};
};

/// Sorted by name.
[[nodiscard]] std::span<const known_metric> known_metrics();

} // namespace kubecoro::detail
