#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace kubecoro::detail {

struct awaited
{
    /// Names it in the failure: "pods".
    std::string what;
    boost::asio::awaitable<result<>> synced;
};

/** Completes when all have synced, or with the first failure among them, which then says which it was.

    @par Cancellation  terminal: ends the waits only. */
[[nodiscard]] boost::asio::awaitable<result<>> await_all(std::vector<awaited> all);

} // namespace kubecoro::detail
