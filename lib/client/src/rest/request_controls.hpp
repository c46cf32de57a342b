#pragma once
// Applies the options of a client to each of its requests: rate, headers, pauses, metrics.

#include "http/request_limits.hpp"
#include "observe/request_meters.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/client/client.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kubecoro::detail {

/// Shared by all requests of a client, and lives as long. Thread safe.
class request_controls
{
public:
    /** @param options  Complete: with clock.
        @param host     For metrics. */
    request_controls(const client_options& options, std::string host);

    /// The transport under the limits and the wrapper of the options.
    [[nodiscard]] std::shared_ptr<transport> over(std::shared_ptr<transport> carrier);
    /// Errors: misconfigured if the options cannot be used; no request is sent then.
    [[nodiscard]] const result<>& sound() const noexcept { return sound_; }

    /// One request with its retries.
    class exchange
    {
    public:
        exchange(request_controls& of, const request& r);

        [[nodiscard]] bool is_limited() const noexcept { return of_.rate_.has_value(); }
        /// If limited, before each attempt: waits for the rate limit. Errors: cancelled.
        [[nodiscard]] boost::asio::awaitable<result<>> turn();
        /// An attempt begins. Adds the headers of the options.
        void begin(request& attempt);
        /// After each attempt. @param status  0 = no response.
        void answered(int status);
        /// The request is sent again after this response. @return the pause. @param asked  By the server.
        [[nodiscard]] duration retry(int status, std::chrono::seconds asked);
        /// The final response, which reports its end.
        [[nodiscard]] std::unique_ptr<answer> deliver(std::unique_ptr<answer> got);

    private:
        request_controls& of_;
        /// Null without metrics.
        std::shared_ptr<request_line> line_;
        bool is_stream_;
        time_point begun_;
        time_point attempted_;
    };

private:
    /// @param next  When the next line of its kind may come; changed under the lock.
    [[nodiscard]] bool is_time_for_line(std::optional<time_point>& next);
    /// Calls it. An exception, such as that of a metrics sink, is logged: a request that was carried out has not failed.
    template<class F>
    void measure(F call) noexcept;
    [[nodiscard]] double draw();

    const client_options& options_;
    result<> sound_;
    std::optional<request_meters> meters_;
    std::optional<request_rate> rate_;
    std::mutex mutex_;
    random_source random_;
    std::optional<time_point> next_line_;
    std::optional<time_point> next_metrics_line_;
};

} // namespace kubecoro::detail
