#pragma once

#include "subjects.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kubecoro::bench {

/// The options that both drivers have.
struct shared_options
{
    /// The results, as JSON.
    std::string out;
    /// The document to update; empty = none.
    std::string docs = {};
    /// Folder of the peers' programs.
    std::string peers = "build/bench/peers";
    /// Keep earlier results, and skip measurements that have enough rounds in `out`.
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

void add_shared_options(CLI::App& app, shared_options& into);
/// Adds --subjects: names of `all`, or of their libraries.
void add_subjects_option(CLI::App& app, std::vector<std::string>& into, const std::vector<subject>& all);

/// Parses the command line. Returns the text of --help or of an error; nullopt = the program goes on.
[[nodiscard]] std::optional<refusal> parse_with(CLI::App& app, int argc, const char* const* argv);

} // namespace kubecoro::bench
