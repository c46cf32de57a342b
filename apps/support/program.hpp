// Shared by the commands of a program.
#pragma once

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/program/run_program.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>

#include <utility>
#include <variant>

namespace kubecoro::tool {

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
