#pragma once

#include <benchmark/benchmark.h>

#include <kubecoro/test/allocations.hpp>

namespace kubecoro::bench {

/** Reports allocations and allocated bytes per operation of a benchmark: create one in its scope, around the loop. */
class allocation_report
{
public:
    explicit allocation_report(benchmark::State& state) : state_(state), begin_(test::allocations_so_far()) {}
    ~allocation_report();
    allocation_report(const allocation_report&) = delete;
    allocation_report& operator=(const allocation_report&) = delete;

    /// Operations per iteration, if not one.
    void per_iteration(double operations) noexcept { operations_ = operations; }

private:
    benchmark::State& state_;
    test::allocation_count begin_;
    double operations_ = 1;
};

} // namespace kubecoro::bench
