#pragma once

#include "places.hpp"
#include "plan.hpp"
#include "real_cluster.hpp"

#include <functional>

namespace kubecoro::bench::live {

/// How to measure.
struct run_options
{
    unsigned rounds = 5;
    /// Writes a second in workloads with many informers.
    unsigned rate = 500;
    /// Writes a second through the API server, for latency: few enough that they do not wait for each other.
    unsigned paced_rate = 50;
    /// The length of both.
    unsigned seconds = 10;
    /// For how long idle watches are held, in seconds.
    unsigned hold_s = 3;
    /// Limit of a command to a subject, in seconds; a subject that takes longer is given up.
    unsigned limit_s = 180;
    /// Memory to touch before each round, as in bench_options.
    std::uint64_t warm_mb = 8'000;
};

/// Called after each round with the results so far.
using save_rows = std::function<void(const std::vector<row>&)>;

/// Runs the plan. Prints progress and failures to standard error; failed measurements are missing. Errors: as
/// real_cluster::fill.
result<> run_plan(const std::vector<group_plan>& plan, const std::vector<subject>& subjects, real_cluster& cluster,
                  const places& where, const run_options& options, const save_rows& save);

} // namespace kubecoro::bench::live
