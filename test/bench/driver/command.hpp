#pragma once

#include "command_line.hpp"
#include "plan.hpp"

#include <string>
#include <variant>

namespace kubecoro::bench {

/// The parsed command line.
struct command : shared_options
{
    bench_options bench = {};
    /// Folder of the programs of an earlier commit; empty = no comparison.
    std::string before = {};
    /// Keep rows of an earlier run that this one does not measure.
    bool merge = false;
};

[[nodiscard]] std::variant<command, refusal> parse_command(int argc, const char* const* argv);

} // namespace kubecoro::bench
