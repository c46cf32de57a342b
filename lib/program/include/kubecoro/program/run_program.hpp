#pragma once

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string_view>

namespace kubecoro {

/// The surroundings of a command. `stop` is settled by a signal and asks the command to end; its outcome determines the exit
/// status.
struct program_context
{
    /// The executor of the only thread.
    boost::asio::any_io_executor executor;
    /// Settled by the first SIGINT or SIGTERM.
    latch stop;
};

/// The whole work of a program.
using command = std::function<boost::asio::awaitable<result<>>(program_context)>;

/// Options of run_program().
struct program_options
{
    /// Precedes the failure on standard error.
    std::string_view name = {};
    /// Receives the failure instead of standard error. Empty = standard error.
    callback<void(const failure&)> on_failure = {};
    /// Called for SIGUSR1 (true) and SIGUSR2 (false). Empty = both are left alone.
    callback<void(bool more)> on_verbosity = {};
};

/** Runs the command on its own event loop and returns the exit status: 0 for success, 1 for a failure, with a message on
    standard error after the program's name, 130 for a command interrupted by a signal.

    SIGINT and SIGTERM settle `stop`; a second one, a quarter of a second later or more, ends the process at once with 130.
    An asio::signal_set of these two takes them away for good: await `stop`. SIGPIPE is ignored. Standard streams that are
    closed become /dev/null. */
[[nodiscard]] int run_program(const command& main, const program_options& options);
/// The same with a name only.
[[nodiscard]] int run_program(const command& main, std::string_view name);

} // namespace kubecoro
