#pragma once
// What an operator sees of a process: its resident memory, and whether it grows.

#include <cstddef>
#include <vector>

namespace soak {

/// Of this process, now. 0 where there is no /proc.
[[nodiscard]] double resident_megabytes();

/// What the program has asked for and not given back: what is resident besides is the allocator's, or the program's text.
[[nodiscard]] double allocated_megabytes();

/** Samples of the resident memory, one a second. */
class memory_record
{
public:
    void sample() { samples_.push_back(resident_megabytes()); }

    /// The median of `count` samples from `first` on.
    [[nodiscard]] double median(std::size_t first, std::size_t count) const;
    [[nodiscard]] std::size_t size() const noexcept { return samples_.size(); }

private:
    std::vector<double> samples_;
};

/** How much more is resident at the end than after the warm-up, as a part of the latter. */
struct drift
{
    /// The first fifth of the samples does not count.
    std::size_t warm_up = 0;
    /// Samples whose median stands for the beginning and for the end: whole cycles of what goes on.
    std::size_t window = 0;
    double begin = 0;
    double end = 0;

    [[nodiscard]] double relative() const noexcept { return begin > 0 ? end / begin - 1 : 0; }
    /// Below 2 %.
    [[nodiscard]] bool small() const noexcept { return relative() < 0.02; }
};

[[nodiscard]] drift drift_of(const memory_record& record, std::size_t cycle);

} // namespace soak
