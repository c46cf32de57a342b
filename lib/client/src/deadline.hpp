#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace kubecoro::detail {

/** Runs an operation and cancels it when it takes longer than `limit` (0 = no limit): then cond::timed_out with `doing`.

    The caller's executor must run one handler at a time. Errors: also cond::cancelled. */
[[nodiscard]] boost::asio::awaitable<result<>>
with_deadline(clock& time, duration limit, boost::asio::awaitable<result<>> operation, std::string doing);

} // namespace kubecoro::detail
