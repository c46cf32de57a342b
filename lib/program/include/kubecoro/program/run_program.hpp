#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <string_view>

namespace kubecoro {

/// The surroundings of a program. `stop` is settled by a signal and asks the program to end; its outcome determines the exit
/// status.
struct program_context
{
    /// The executor of the only thread.
    boost::asio::any_io_executor executor;
    /// Settled by the first SIGINT or SIGTERM.
    latch stop;
};

/** Runs a program on its own event loop and returns the exit status: 0 for success, 1 for a failure, with a message on
    standard error after the program's name, 130 for one interrupted by a signal.

    SIGINT and SIGTERM settle `stop`; `grace` later the program is cancelled. A second signal, a quarter of a second later or
    more, ends the process at once with 130. docs/guide/shutdown.md has a whole program.
    An asio::signal_set of these two takes them away for good: await `stop`. SIGPIPE is ignored. Standard streams that are
    closed become /dev/null.
    @param main   The whole work of the program.
    @param grace  From the first signal until `main` is cancelled; a program whose loop is blocked at that time ends at once. As in
                  a pod, longer than the grace period of a manager. 0 = no limit. */
[[nodiscard]] int run_program(const std::function<boost::asio::awaitable<result<>>(program_context)>& main,
                              std::string_view name, saturating_duration grace = std::chrono::seconds{30});

namespace detail {

/// The callbacks of a program beside its work.
struct program_hooks
{
    /// Receives the failure of the program. Required.
    std::function<void(const failure&)> on_failure;
    /// Called for SIGUSR1 (true) and SIGUSR2 (false). Empty = both are left alone.
    std::function<void(bool more)> on_verbosity = {};
};
/// run_program() with hooks.
[[nodiscard]] int run_hooked(const std::function<boost::asio::awaitable<result<>>(program_context)>& main,
                             const program_hooks& hooks, duration grace);

} // namespace detail

} // namespace kubecoro
