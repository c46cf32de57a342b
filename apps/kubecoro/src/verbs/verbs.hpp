// Every sub-command: adds its flags to the command line and returns how it runs.
#pragma once

#include "cli/verb.hpp"

namespace kubecoro::tool {

[[nodiscard]] verb add_apply(CLI::App& app);
[[nodiscard]] verb add_delete(CLI::App& app);
[[nodiscard]] verb add_demo(CLI::App& app);
[[nodiscard]] verb add_generate(CLI::App& app);
[[nodiscard]] verb add_get(CLI::App& app);
[[nodiscard]] verb add_new(CLI::App& app);
[[nodiscard]] verb add_replay(CLI::App& app);
[[nodiscard]] verb add_serve(CLI::App& app);
[[nodiscard]] verb add_wait(CLI::App& app);
[[nodiscard]] verb add_watch(CLI::App& app);

} // namespace kubecoro::tool
