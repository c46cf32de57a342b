#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace kubecoro::detail {

struct awaited
{
    /// Name used in the failure: "pods".
    std::string what;
    boost::asio::awaitable<result<>> synced;
};

/** Completes when all have synced, or with the first failure, which then has the name of the failed one.

    @par Cancellation  terminal: ends the waits only. */
[[nodiscard]] boost::asio::awaitable<result<>> await_all(std::vector<awaited> all);

} // namespace kubecoro::detail
