#pragma once

#include <kubecoro/base/log.hpp>
#include <kubecoro/manager/detail/setup_function.hpp>
#include <kubecoro/program/operator_options.hpp>
#include <kubecoro/program/spdlog_logger.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// The set-up of an operator's manager.
using operator_setup = setup_function<const operator_options&>;

/// The values of the command line and the environment.
struct operator_flags
{
    std::string kubeconfig = {};
    std::string context = {};
    std::vector<std::string> namespaces = {};
    std::string level = "info";
    std::string format = "text";
    int verbosity = 0;
    std::optional<std::string> metrics = {};
    std::optional<std::string> health = {};
    std::optional<std::string> webhooks = {};
    std::string certificate_file = {};
    std::string key_file = {};
    /// As `elects`.
    std::string secure = {};
    /// "true" or "false", or as CLI11 reads a flag; empty = not given.
    std::string elects = {};
    std::string lease = {};
    std::string lease_namespace = {};
    std::string trace_file = {};
    double trace_sample = 1;
    /// As `elects`.
    std::string trace_ids = {};
    /// Empty = the operator runs.
    std::string print_rbac = {};
    /// As above.
    std::string print_cluster_rbac = {};
    /// As above.
    std::string print_webhooks = {};

    /// Whether log lines and requests have the ids of traces that go nowhere.
    [[nodiscard]] bool wants_ids() const;
    /// The level after -v.
    [[nodiscard]] log_level threshold() const noexcept;
    /// The form of the lines.
    [[nodiscard]] log_format form() const { return format == "json" ? log_format::json : log_format::text; }
};

/// Puts what the command line and the environment say in the place of what the options say.
void apply_flags(const operator_flags& flags, operator_options& o);
/// Declares the flags in the app.
void add_flags(CLI::App& app, const std::string& name, operator_flags& out);
/// The flag of programs with webhooks.
void add_webhooks_flag(CLI::App& app, const std::string& name, operator_flags& out);
/// Calls the function, and names a variable of the environment for each flag that it adds without one: "--workers" is
/// CONFIG_RELOADER_WORKERS.
void add_own_flags(CLI::App& app, const std::string& name, const std::function<void(CLI::App&)>& add);
/** Throws CLI::ValidationError for a variable of the environment whose value was not taken, after the command line was
    parsed: CLI11 from 2.4 on passes over values that a check refuses, and the program would run with defaults. */
void check_environment(const CLI::App& app);
/// "config-reloader" -> "CONFIG_RELOADER_".
[[nodiscard]] std::string environment_prefix(const std::string& name);
/// The level one step more verbose, or one less.
[[nodiscard]] log_level stepped(log_level from, bool more) noexcept;

} // namespace kubecoro::detail
