#pragma once

#include "pipeline.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <string>

namespace kubecoro::bench {

/** Executes the driver's commands, one per line on standard input, each answered by a line of JSON on standard output,
    until `quit` or the end of the input. See the README of the bench.

    @param arrivals_file  Written at the end of each `expect`, a line for each reconcile; empty = none. */
[[nodiscard]] boost::asio::awaitable<result<>> serve_commands(boost::asio::any_io_executor executor, pipeline& work,
                                                              std::string arrivals_file);

} // namespace kubecoro::bench
