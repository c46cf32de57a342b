#include "statistics.hpp"

#include <algorithm>

namespace kubecoro::bench {

spread summarise(std::vector<double> samples)
{
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const auto n = samples.size();
    const double median = n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    return {.median = median, .min = samples.front(), .max = samples.back(), .rounds = n};
}

} // namespace kubecoro::bench
