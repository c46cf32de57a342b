#pragma once

#include "replay_server.hpp"
#include "results.hpp"
#include "subjects.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench {

/// The choice of measurements from the command line.
struct bench_options
{
    /// Workloads to run; empty = all.
    std::vector<std::string> names = {};
    /// Names of subjects or of their libraries, see is_chosen(); empty = all.
    std::vector<std::string> subjects = {};
    /// Rounds of all workloads, and of those with a different number.
    unsigned rounds = 5;
    std::map<std::string, unsigned, std::less<>> rounds_of = {{"tail", 3}};
    /// Sizes of the small data set. The others use the smallest, custom resources at most 50,000.
    std::vector<std::uint64_t> objects = {20'000, 150'000};
    /// Kinds of data: "small", "large", "low", "custom", "operator", "split"; empty = all.
    std::vector<std::string> data = {};
    /// Numbers of cores that small pods are measured on, split ones included.
    std::vector<unsigned> cores = {1, 2};
    /// Length of the paced runs.
    std::uint64_t paced_s = 10;
    std::uint64_t tail_s = 120;
    /// Keys of the work queue workload.
    std::uint64_t queue_keys = 1'000'000;
    /// Minimum time of each micro-benchmark.
    double micro_s = 0.5;
    /// Limit of a command, in addition to the length of a paced run; a subject that takes longer is given up.
    std::uint64_t limit_s = 180;
    /// Memory to touch before each round.
    std::uint64_t warm_mb = 8'000;
    /// Omits the variants of subjects (share::brief).
    bool no_variants = false;
    /// Runs no micro-benchmarks unless they are named.
    bool no_micro = false;
};

/** One life of one subject: its workloads, in this order. */
struct session_plan
{
    data_set data;
    /// 1: server on the first core, subject on the second. 2: the subject has both.
    unsigned cores = 1;
    /// Index in the list of subjects.
    std::size_t subject = 0;
    /// "sync", "namespaces", "steady", "events", "paced-1000", "paced-5000", "tail", "relist", "peak", "read", "queue".
    std::vector<std::string> workloads;

    /// The name of a workload in the results: with the suffix "-2cores" on two cores.
    [[nodiscard]] std::string label(const std::string& workload) const
    {
        return cores == 1 ? workload : workload + "-2cores";
    }
};

/// All sessions that share one replay server, once per round.
struct group_plan
{
    data_set data;
    std::vector<session_plan> sessions;
};

[[nodiscard]] std::vector<group_plan> make_plan(const bench_options& options, const std::vector<subject>& subjects);

/// Whether the user chose a workload. Numbers of workloads that run only as prerequisites are dropped.
[[nodiscard]] bool is_asked(const bench_options& options, std::string_view workload);

/// The number of rounds of a workload.
[[nodiscard]] unsigned rounds_of(const bench_options& options, std::string_view workload);
/// The number of rounds of a group: the most of its workloads.
[[nodiscard]] unsigned rounds_of(const bench_options& options, const group_plan& group);

/// The sessions of one round, starting with a different subject each time, without workloads that have had their
/// rounds.
[[nodiscard]] std::vector<session_plan> sessions_of_round(const group_plan& group, unsigned round,
                                                          const bench_options& options);

/** The rest of a plan when earlier results are kept.

    Omits sessions whose workloads all have their rounds, or were given up. */
[[nodiscard]] std::vector<group_plan> without_finished(std::vector<group_plan> plan, const bench_options& options,
                                                       const std::vector<subject>& subjects,
                                                       const std::vector<row>& results);

/// Whether the micro-benchmarks run as well; `results` are the kept results.
[[nodiscard]] bool wants_micro(const bench_options& options, const std::vector<row>& results);

/// All valid values of bench_options::names.
[[nodiscard]] const std::vector<std::string>& workload_names();

} // namespace kubecoro::bench
