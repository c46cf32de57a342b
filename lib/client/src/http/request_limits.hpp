#pragma once
// Holds requests back: by the plan of request_rate_core, and while too many are in progress.

#include "http/request_limits_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/transport.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <mutex>

namespace kubecoro::detail {

/// Shared by all requests of a client. Thread safe.
class request_rate
{
public:
    request_rate(request_rate_settings settings, std::shared_ptr<time_source> time)
        : time_(std::move(time)), core_(settings)
    {
    }

    /** Completes when a request may be sent. Outlived by the limiter.

        @param waited        Receives how long that took.
        @par Cancellation    terminal, partial, total: the turn goes back. */
    [[nodiscard]] boost::asio::awaitable<result<>> turn(duration& waited);
    /// The server has answered 429.
    void on_too_many();

private:
    class token;

    std::shared_ptr<time_source> time_;
    std::mutex mutex_;
    request_rate_core core_;
};

/** Sends at most `most` requests at a time over another transport; the others wait in the order of their calls, and may
    be cancelled. A request ends when its answer is destroyed.

    Watches and followed logs do not count: they last, and would leave nothing for the others. Thread safe. */
[[nodiscard]] std::shared_ptr<transport> limit_requests(std::shared_ptr<transport> over, std::size_t most);

} // namespace kubecoro::detail
