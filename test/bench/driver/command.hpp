#pragma once

#include "plan.hpp"

#include <string>
#include <variant>

namespace kubecoro::bench {

/// What the command line asks for.
struct command
{
    bench_options bench = {};
    std::string out = "build/bench/results.json";
    /// The document to renew; empty = none.
    std::string docs = {};
    /// Folder of the peers' programs.
    std::string peers = "build/bench/peers";
    /// Keep rows of an earlier run that this one does not measure.
    bool merge = false;
    /// As `merge`, and what `out` holds with as many rounds is not measured again.
    bool resume = false;
    /// Measure nothing: say what would be measured.
    bool plan_only = false;
    /// Measure nothing: report what `out` holds.
    bool report_only = false;
};

/// Text to print instead, and the exit status.
struct refusal
{
    std::string text;
    int status = 0;
};

[[nodiscard]] std::variant<command, refusal> parse_command(int argc, const char* const* argv);

} // namespace kubecoro::bench
