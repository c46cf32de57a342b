#pragma once

#include "replay_server.hpp"
#include "subjects.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// What is measured, as the command line says it.
struct bench_options
{
    /// Workloads to run; empty = all.
    std::vector<std::string> names = {};
    /// Subjects whose name begins with one of these; empty = all.
    std::vector<std::string> subjects = {};
    unsigned rounds = 5;
    /// Rounds in which the 120 s runs take part.
    unsigned tail_rounds = 3;
    /// Sizes of the small data set. The others have the smallest, custom resources at most 50,000.
    std::vector<std::uint64_t> objects = {20'000, 150'000};
    /// Of the paced runs.
    std::uint64_t paced_s = 10;
    std::uint64_t tail_s = 120;
    /// Memory to touch before each round.
    std::uint64_t warm_mb = 8'000;
    /// Small pods on one core only.
    bool only_small = false;
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
    /// "sync", "steady", "read", "events", "paced-1000", "paced-5000", "tail", "relist", "peak", "queue".
    std::vector<std::string> workloads;
};

/// All sessions that share one replay server, once per round.
struct group_plan
{
    data_set data;
    std::vector<session_plan> sessions;
};

[[nodiscard]] std::vector<group_plan> make_plan(const bench_options& options, const std::vector<subject>& subjects);

/// The sessions of one round, begun with another subject each time, and without the tails beyond their rounds.
[[nodiscard]] std::vector<session_plan> sessions_of_round(const group_plan& group, unsigned round,
                                                          const bench_options& options);

/// Whether the micro-benchmarks run as well.
[[nodiscard]] bool wants_micro(const bench_options& options);

/// Every name that bench_options::names may hold.
[[nodiscard]] const std::vector<std::string>& workload_names();

} // namespace kubecoro::bench
