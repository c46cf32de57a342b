// Every sub-command: adds its flags to the command line and returns how it runs.
#pragma once

#include "cli/verb.hpp"

#include <string>
#include <vector>

namespace kubecoro::tool {

[[nodiscard]] verb add_api_resources(CLI::App& app);
[[nodiscard]] verb add_apply(CLI::App& app);
[[nodiscard]] verb add_completion(CLI::App& app);
[[nodiscard]] verb add_config(CLI::App& app);
[[nodiscard]] verb add_delete(CLI::App& app);
[[nodiscard]] verb add_demo(CLI::App& app);
[[nodiscard]] verb add_describe(CLI::App& app);
[[nodiscard]] verb add_explain(CLI::App& app);
[[nodiscard]] verb add_generate(CLI::App& app);
[[nodiscard]] verb add_get(CLI::App& app);
[[nodiscard]] verb add_help(CLI::App& app);
[[nodiscard]] verb add_logs(CLI::App& app);
[[nodiscard]] verb add_new(CLI::App& app);
[[nodiscard]] verb add_patch(CLI::App& app);
[[nodiscard]] verb add_scale(CLI::App& app);
[[nodiscard]] verb add_serve(CLI::App& app);
[[nodiscard]] verb add_version(CLI::App& app);
[[nodiscard]] verb add_wait(CLI::App& app);
[[nodiscard]] verb add_watch(CLI::App& app);

/// The verb that completion scripts call: prints candidates for a command line after the program's name, whose last word
/// is being typed. It is not on the command line, because the words look like its own flags.
[[nodiscard]] verb completing_verb(const CLI::App& app, const std::vector<std::string>& words);

/// Prints a text.
[[nodiscard]] boost::asio::awaitable<result<>> print_text(std::string text, verb_context context);

} // namespace kubecoro::tool
