#pragma once

#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/latch.hpp>
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
    /// From the first signal until the command is cancelled; a program whose loop is blocked at that time ends at once. As in a
    /// pod, longer than the grace period of a manager. 0 = no limit.
    saturating_duration grace = std::chrono::seconds{30};
};

/** Runs the command on its own event loop and returns the exit status: 0 for success, 1 for a failure, with a message on
    standard error after the program's name, 130 for a command interrupted by a signal.

    SIGINT and SIGTERM settle `stop`; `grace` later the command is cancelled. A second signal, a quarter of a second later or
    more, ends the process at once with 130. docs/guide/shutdown.md has a whole program.
    An asio::signal_set of these two takes them away for good: await `stop`. SIGPIPE is ignored. Standard streams that are
    closed become /dev/null. */
[[nodiscard]] int run_program(const command& main, const program_options& options);
/// The same with a name only.
[[nodiscard]] int run_program(const command& main, std::string_view name);

} // namespace kubecoro
