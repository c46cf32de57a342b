#pragma once

#include <cstddef>
#include <vector>

namespace kubecoro::bench {

/// Statistics of the rounds of one measurement. All zero without rounds.
struct spread
{
    double median = 0;
    double min = 0;
    double max = 0;
    std::size_t rounds = 0;
    friend bool operator==(const spread&, const spread&) = default;
};

/// The median of an even number is the mean of the two in the middle.
[[nodiscard]] spread summarise(std::vector<double> samples);

} // namespace kubecoro::bench
