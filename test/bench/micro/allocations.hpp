#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

namespace kubecoro::bench {

/// Calls of operator new by this thread, and the bytes they asked for.
struct allocation_count
{
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
};
[[nodiscard]] allocation_count allocations_so_far() noexcept;

/** Reports allocations and allocated bytes of each operation of a benchmark: one object in its scope, around the loop. */
class allocation_report
{
public:
    explicit allocation_report(benchmark::State& state) : state_(state), begin_(allocations_so_far()) {}
    ~allocation_report();
    allocation_report(const allocation_report&) = delete;
    allocation_report& operator=(const allocation_report&) = delete;

    /// How many operations one iteration makes, when not one.
    void per_iteration(double operations) noexcept { operations_ = operations; }

private:
    benchmark::State& state_;
    allocation_count begin_;
    double operations_ = 1;
};

} // namespace kubecoro::bench
