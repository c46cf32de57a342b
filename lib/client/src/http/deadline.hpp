#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace kubecoro::detail {

/** Runs an operation and cancels it when it takes longer than `limit` (0 = no limit); it then fails with
    cond::timed_out and a message that begins with `doing`.

    The caller's executor must run one handler at a time. Errors: also cond::cancelled.
    @par Cancellation  terminal, partial, total, as far as the caller's cancellation state admits them; each reaches
                       the operation as terminal cancellation. */
[[nodiscard]] boost::asio::awaitable<result<>>
with_deadline(time_source& time, duration limit, boost::asio::awaitable<result<>> operation, std::string doing);

/** The same for an operation with many waits, each limited separately: the operation stores the start of each wait
    in `since`. One timer serves all waits and rechecks `since` when it expires; `since` must outlive the operation. */
[[nodiscard]] boost::asio::awaitable<result<>> with_idle_limit(time_source& time, duration limit,
                                                               const time_point& since,
                                                               boost::asio::awaitable<result<>> operation,
                                                               std::string doing);

} // namespace kubecoro::detail
