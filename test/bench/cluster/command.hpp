#pragma once

#include "driver/command_line.hpp"
#include "plan.hpp"
#include "runner.hpp"

#include <string>
#include <variant>

namespace kubecoro::bench::live {

/// The parsed command line.
struct command : shared_options
{
    plan_options plan = {};
    run_options run = {};
    std::string cluster = "test/e2e/cluster/cluster.sh";
    std::string kubectl = "build/cluster/bin/kubectl";
    /// Leave the cluster running, with its objects: the next run need not fill it.
    bool keep = false;
};

[[nodiscard]] std::variant<command, refusal> parse_command(int argc, const char* const* argv);

} // namespace kubecoro::bench::live
