#pragma once
// Memory of a process as an operator sees it, and whether it grows.

#include <cstddef>
#include <vector>

namespace soak {

/// Memory of this process now; 0 without /proc.
[[nodiscard]] double resident_megabytes();
/// The same after the allocator has given back the pages that hold nothing: what it kept of former peaks, which depend on how
/// lists happen to coincide, does not count.
[[nodiscard]] double needed_megabytes();

/// Bytes allocated and not freed by the program, without the allocator's overhead. Informative: it swings with lists.
[[nodiscard]] double allocated_megabytes();

/** Samples of the memory that is needed, one a second. */
class memory_record
{
public:
    void sample() { samples_.push_back(needed_megabytes()); }

    /// The median of `count` samples from `first` on.
    [[nodiscard]] double median(std::size_t first, std::size_t count) const;
    [[nodiscard]] std::size_t size() const noexcept { return samples_.size(); }

private:
    std::vector<double> samples_;
};

/** How much more is needed at the end than after the warm-up, as a part of the latter. */
struct drift
{
    /// The first two fifths of the samples do not count: every object has to be replaced several times before the heap of a
    /// program that has just listed looks like that of one that lives for long.
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
