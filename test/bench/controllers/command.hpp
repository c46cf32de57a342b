#pragma once

#include "driver/command_line.hpp"
#include "runner.hpp"
#include "tasks.hpp"

#include <variant>

namespace kubecoro::bench::controllers {

/// The parsed command line.
struct command : shared_options
{
    task_options tasks = {};
    run_options run = {};
};

[[nodiscard]] std::variant<command, refusal> parse_command(int argc, const char* const* argv);

} // namespace kubecoro::bench::controllers
