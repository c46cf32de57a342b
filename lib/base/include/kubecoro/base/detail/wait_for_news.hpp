#pragma once
// How the driver of a core rests between two steps.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/wake_signal.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace kubecoro::detail {

/** Completes when the signal has been notified, or at `until` by the clock `time`, which must outlive the wait. Empty =
    only when notified. An early end is harmless: the core is asked again.

    @par Executor      as race().
    @par Cancellation  terminal, partial, total: ends the wait. */
[[nodiscard]] boost::asio::awaitable<result<>> wait_for_news(wake_signal news, time_source& time,
                                                             std::optional<time_point> until);

} // namespace kubecoro::detail
