#include "latencies.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kubecoro::bench {

std::size_t latencies::bucket_of(std::uint64_t ns) noexcept
{
    constexpr std::uint64_t first = std::uint64_t{1} << fine_bits;
    if (ns < first) return ns;
    const auto octave = static_cast<unsigned>(std::bit_width(ns)) - 1 - fine_bits;
    const auto fine = (ns >> octave) - first;
    return std::min<std::size_t>(((octave + 1) << fine_bits) + fine, buckets - 1);
}

double latencies::value_of(std::size_t bucket) noexcept
{
    constexpr std::size_t first = std::size_t{1} << fine_bits;
    if (bucket < first) return static_cast<double>(bucket);
    const auto octave = (bucket >> fine_bits) - 1;
    const auto low = (first + (bucket & (first - 1))) << octave;
    return static_cast<double>(low) + static_cast<double>(std::size_t{1} << octave) / 2;
}

void latencies::record(std::int64_t nanoseconds) noexcept
{
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0));
    ++counts_[bucket_of(ns)];
    ++count_;
    largest_ = std::max(largest_, ns);
}

double latencies::microseconds(double share) const noexcept
{
    if (count_ == 0) return 0;
    const auto largest = static_cast<double>(largest_) / 1e3;
    if (share >= 1) return largest;
    const auto rank = std::max(1.0, std::ceil(share * static_cast<double>(count_)));
    double seen = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        seen += static_cast<double>(counts_[bucket]);
        if (seen >= rank) return std::min(value_of(bucket) / 1e3, largest);
    }
    return largest;
}

} // namespace kubecoro::bench
