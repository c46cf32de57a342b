// Runs a command as a coroutine until it ends or a signal asks it to.
#pragma once

#include <kubecoro/base/async_event.hpp>
#include <kubecoro/base/guard.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include <functional>
#include <string_view>
#include <utility>
#include <variant>

namespace kubecoro::tool {

/// What a command gets: settling `stop` (a signal does) asks it to end; the outcome is the command's exit reason.
struct program_context
{
    boost::asio::any_io_executor executor;
    latch stop;
};

using command = std::function<boost::asio::awaitable<result<>>(program_context)>;

/** Runs the command on an event loop of its own and returns the exit status: 0 for success, 1 with a message on stderr
    (behind the program's name) for a failure, 130 for one that a signal cut short.

    SIGINT and SIGTERM settle `stop`; a second one ends the process at once. SIGPIPE is ignored. */
[[nodiscard]] int run_program(command main, std::string_view name);

/// Runs an operation but gives it up, with cond::cancelled, when `stop` is settled first.
template<class T>
[[nodiscard]] boost::asio::awaitable<result<T>> unless_stopped(latch stop, boost::asio::awaitable<result<T>> operation)
{
    using namespace boost::asio::experimental::awaitable_operators;
    auto first = co_await (guard(std::move(operation)) || stop.wait());
    if (first.index() == 0) co_return std::get<0>(std::move(first));
    co_return failure(cond::cancelled, "stopped");
}

} // namespace kubecoro::tool
