#include "arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <unordered_map>

namespace kubecoro::bench::live {

std::vector<double> times_after_answers(std::string_view answers, std::string_view arrivals)
{
    std::unordered_map<std::int64_t, std::int64_t> answered;
    std::istringstream writes{std::string(answers)};
    std::int64_t stamp = 0;
    std::int64_t at = 0;
    while (writes >> stamp >> at) answered[stamp] = at;
    std::vector<double> times;
    std::istringstream reads{std::string(arrivals)};
    while (reads >> stamp >> at)
        if (const auto write = answered.find(stamp); write != answered.end())
            times.push_back(static_cast<double>(at - write->second) / 1e3);
    return times;
}

double quantile_of(std::vector<double> values, double share)
{
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

} // namespace kubecoro::bench::live
