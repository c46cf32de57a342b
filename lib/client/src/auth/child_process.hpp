#pragma once
// Runs a program and reads its standard output, without blocking a thread.

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

struct program
{
    /// A path, or a name to look for in PATH.
    std::string command;
    std::vector<std::string> arguments = {};
    /// Added to the environment of this process.
    std::vector<std::pair<std::string, std::string>> variables = {};
    /// Standard input is that of this process; otherwise it is empty. Standard error is that of this process.
    bool interactive = false;
};

struct program_end
{
    int exit_code = 0;
    /// The signal that ended it; 0 = it ended by itself.
    int signal = 0;
    std::string output = {};
};

/** Runs the program until it has ended and closed its standard output.

    @par Errors        not_found: there is no such program; misconfigured: it cannot be started; corrupt: more than
                       `max_output` bytes; cancelled.
    @par Cancellation  terminal, partial, total: kills the program, as does the destruction of the coroutine. */
[[nodiscard]] boost::asio::awaitable<result<program_end>> run_program(program p, std::size_t max_output);

} // namespace kubecoro::detail
