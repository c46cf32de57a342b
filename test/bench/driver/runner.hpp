#pragma once

#include "plan.hpp"
#include "results.hpp"

#include <functional>
#include <string>

namespace kubecoro::bench {

/// Folders of the programs and of their logs.
struct places
{
    /// Folder of kubecoro_replay and kubecoro_bench_subject.
    std::string programs;
    /// Folder of the peers and of topb, which prepares protobuf; may be empty.
    std::string peers;
    /// For logs and prepared data.
    std::string work;
};

/// Called after each round with the results so far.
using save_rows = std::function<void(const std::vector<row>&)>;

/// Runs the whole plan, and the micro-benchmarks if chosen. Prints failures to standard error; their rows are missing.
void run_bench(const std::vector<group_plan>& plan, bool micro, const bench_options& options,
               const std::vector<subject>& subjects, const places& where, const save_rows& save);

} // namespace kubecoro::bench
