// Runs a command as a coroutine until it ends or a signal stops it.
#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include <functional>
#include <string_view>
#include <utility>
#include <variant>

namespace kubecoro::tool {

/// The context of a command. `stop` is settled by a signal and asks the command to end; its outcome determines the exit
/// status.
struct program_context
{
    boost::asio::any_io_executor executor;
    latch stop;
};

using command = std::function<boost::asio::awaitable<result<>>(program_context)>;

/** Runs the command on its own event loop and returns the exit status: 0 for success, 1 for a failure, with a
    message on stderr after the program's name, 130 for a command interrupted by a signal.

    SIGINT and SIGTERM settle `stop`; a second one ends the process at once. SIGPIPE is ignored. */
[[nodiscard]] int run_program(command main, std::string_view name);

/// Runs an operation, but cancels it and fails with cond::cancelled when `stop` is settled first.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<T>> unless_stopped(latch stop, boost::asio::awaitable<result<T>> operation)
{
    using namespace boost::asio::experimental::awaitable_operators;
    auto first = co_await (catch_failure(std::move(operation)) || stop.wait());
    if (first.index() == 0) co_return std::get<0>(std::move(first));
    co_return failure(cond::cancelled, "stopped");
}

} // namespace kubecoro::tool
