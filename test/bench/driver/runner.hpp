#pragma once

#include "plan.hpp"
#include "results.hpp"

#include <string>

namespace kubecoro::bench {

/// Where the programs are and where their logs go.
struct places
{
    /// Folder of kubecoro_replay and kubecoro_bench_subject.
    std::string programs;
    /// Folder of the peers and of topb, which prepares protobuf; may be empty.
    std::string peers;
    /// For logs and prepared data.
    std::string work;
};

/// Runs the whole plan. What fails is said on standard error and is missing in the rows.
[[nodiscard]] std::vector<row> run_bench(const bench_options& options, const std::vector<subject>& subjects,
                                         const places& where);

} // namespace kubecoro::bench
