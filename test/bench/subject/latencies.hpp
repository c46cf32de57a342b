#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kubecoro::bench {

/** Counts durations in buckets that are at most 1/32 of their value wide, so that any number of them takes the same
    memory and percentiles are accurate to 3 %. Nanoseconds; values above 2^40 (18 minutes) share one bucket. */
class latencies
{
public:
    void record(std::int64_t nanoseconds) noexcept;
    void clear() noexcept { *this = latencies(); }

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    /// The value that `share` (0 to 1) of all do not exceed, in microseconds; the largest for 1; 0 without values.
    [[nodiscard]] double microseconds(double share) const noexcept;

private:
    static constexpr unsigned fine_bits = 5;
    static constexpr unsigned max_bits = 40;
    static constexpr std::size_t buckets = (max_bits - fine_bits + 1) << fine_bits;
    [[nodiscard]] static std::size_t bucket_of(std::uint64_t ns) noexcept;
    /// The middle of a bucket.
    [[nodiscard]] static double value_of(std::size_t bucket) noexcept;

    std::array<std::uint64_t, buckets> counts_{};
    std::uint64_t count_ = 0;
    std::uint64_t largest_ = 0;
};

} // namespace kubecoro::bench
