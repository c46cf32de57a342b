#pragma once

#include "driver/command_line.hpp"
#include "tasks.hpp"

#include <string>
#include <variant>

namespace kubecoro::bench::types {

/// The parsed command line.
struct command : shared_options
{
    task_options tasks = {};
    unsigned rounds = 5;
    /// The work tree, and the folder of definitions.
    std::string source = ".";
    std::string definitions = "build/crds/definitions";
};

[[nodiscard]] std::variant<command, refusal> parse_command(int argc, const char* const* argv);

} // namespace kubecoro::bench::types
