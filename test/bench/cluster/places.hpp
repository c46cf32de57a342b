#pragma once

#include <string>

namespace kubecoro::bench::live {

/// Folders and programs of a run.
struct places
{
    /// Folder of kubecoro_bench_subject and kubecoro_replay.
    std::string programs;
    /// Folder of the peers and of `load`.
    std::string peers;
    /// For logs, records and the cluster's state.
    std::string work;
    /// test/e2e/cluster/cluster.sh.
    std::string cluster;
    /// The kubectl that it has built.
    std::string kubectl;
};

} // namespace kubecoro::bench::live
