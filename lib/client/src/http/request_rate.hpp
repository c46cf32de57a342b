#pragma once
// Holds requests back by the plan of request_rate_core.

#include "http/request_rate_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

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

} // namespace kubecoro::detail
