#pragma once

#include "plan.hpp"
#include "runner.hpp"

#include <string>
#include <variant>

namespace kubecoro::bench::live {

/// The parsed command line.
struct command
{
    plan_options plan = {};
    run_options run = {};
    std::string out = "build/bench/cluster.json";
    /// The document to update; empty = none.
    std::string docs = {};
    /// Folder of the peers' programs.
    std::string peers = "build/bench/peers";
    std::string cluster = "test/e2e/cluster/cluster.sh";
    std::string kubectl = "build/cluster/bin/kubectl";
    /// Leave the cluster running, with its objects: the next run need not fill it.
    bool keep = false;
    /// Keep earlier results, and skip measurements that have their rounds.
    bool resume = false;
    bool plan_only = false;
    bool report_only = false;
};

/// Text to print instead of a run, and the exit status.
struct refusal
{
    std::string text;
    int status = 0;
};

[[nodiscard]] std::variant<command, refusal> parse_command(int argc, const char* const* argv);

} // namespace kubecoro::bench::live
