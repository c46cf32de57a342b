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

/// What is measured, as the command line says it.
struct bench_options
{
    /// Workloads to run; empty = all.
    std::vector<std::string> names = {};
    /// Names of subjects or of their libraries, see is_chosen(); empty = all.
    std::vector<std::string> subjects = {};
    /// How often each workload runs, and which ones more or less often.
    unsigned rounds = 5;
    std::map<std::string, unsigned, std::less<>> rounds_of = {{"tail", 3}};
    /// Sizes of the small data set. The others have the smallest, custom resources at most 50,000.
    std::vector<std::uint64_t> objects = {20'000, 150'000};
    /// Kinds of data: "small", "large", "low", "custom"; empty = all.
    std::vector<std::string> data = {};
    /// Numbers of cores that small pods are measured on.
    std::vector<unsigned> cores = {1, 2};
    /// Of the paced runs.
    std::uint64_t paced_s = 10;
    std::uint64_t tail_s = 120;
    /// Of the work queue by itself.
    std::uint64_t queue_keys = 1'000'000;
    /// Of each micro-benchmark, at least.
    double micro_s = 0.5;
    /// The most that a subject may take for one command, beside the length of a paced run; who takes longer is given up.
    std::uint64_t limit_s = 180;
    /// Memory to touch before each round.
    std::uint64_t warm_mb = 8'000;
    /// Without the variants of subjects (share::brief).
    bool no_variants = false;
    /// No micro-benchmarks unless they are named.
    bool no_micro = false;
};

/** One life of one subject: what it goes through, in this order. */
struct session_plan
{
    data_set data;
    /// 1: server on the first core, subject on the second. 2: the subject has both.
    unsigned cores = 1;
    /// Place in the list of subjects.
    std::size_t subject = 0;
    /// "sync", "steady", "events", "paced-1000", "paced-5000", "tail", "relist", "peak", "read", "queue".
    std::vector<std::string> workloads;

    /// The name of a workload in the results: on two cores with "-2cores" behind.
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

/// Whether the user wants the numbers of a workload: of one that merely has to go before another they are dropped.
[[nodiscard]] bool is_asked(const bench_options& options, std::string_view workload);

/// How often a workload runs.
[[nodiscard]] unsigned rounds_of(const bench_options& options, std::string_view workload);
/// How many rounds a group has: those of the workload that runs most often.
[[nodiscard]] unsigned rounds_of(const bench_options& options, const group_plan& group);

/// The sessions of one round, begun with another subject each time, and without the workloads that have had their rounds.
[[nodiscard]] std::vector<session_plan> sessions_of_round(const group_plan& group, unsigned round,
                                                          const bench_options& options);

/** What is left of a plan when earlier results are kept.

    A session whose every workload has its rounds, or was given up, is not run again. */
[[nodiscard]] std::vector<group_plan> without_finished(std::vector<group_plan> plan, const bench_options& options,
                                                       const std::vector<subject>& subjects,
                                                       const std::vector<row>& results);

/// Whether the micro-benchmarks run as well; `results` are those that are kept.
[[nodiscard]] bool wants_micro(const bench_options& options, const std::vector<row>& results);

/// Every name that bench_options::names may hold.
[[nodiscard]] const std::vector<std::string>& workload_names();

} // namespace kubecoro::bench
