#pragma once

#include "plan.hpp"

#include <string>
#include <variant>

namespace kubecoro::bench {

/// The parsed command line.
struct command
{
    bench_options bench = {};
    std::string out = "build/bench/results.json";
    /// The document to update; empty = none.
    std::string docs = {};
    /// Folder of the peers' programs.
    std::string peers = "build/bench/peers";
    /// Folder of the programs of an earlier commit; empty = no comparison.
    std::string before = {};
    /// Keep rows of an earlier run that this one does not measure.
    bool merge = false;
    /// Same as `merge`; also skips measurements that `out` already has with enough rounds.
    bool resume = false;
    /// Measure nothing: print the plan.
    bool plan_only = false;
    /// Measure nothing: report the results in `out`.
    bool report_only = false;
};

/// Text to print instead of a run, and the exit status.
struct refusal
{
    std::string text;
    int status = 0;
};

[[nodiscard]] std::variant<command, refusal> parse_command(int argc, const char* const* argv);

} // namespace kubecoro::bench
