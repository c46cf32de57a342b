#pragma once

#include <string_view>
#include <vector>

namespace kubecoro::bench::live {

/** The times from the answers of writes to the arrival of their objects at the worker, in microseconds; negative where the
    object came first.

    Both texts have lines of a stamp and a time in nanoseconds; a stamp names the same write in both. Writes whose object
    was replaced by a later one before it arrived have no time. */
[[nodiscard]] std::vector<double> times_after_answers(std::string_view answers, std::string_view arrivals);

/// The value below which this share of them lies; 0 without values.
[[nodiscard]] double quantile_of(std::vector<double> values, double share);

} // namespace kubecoro::bench::live
