#pragma once
// Counts and times the requests of a client, under client-go's names where they exist.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/client/transport.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The time series of one method and resource. Thread safe.
class request_line
{
public:
    request_line(std::shared_ptr<metrics> sink, std::string_view method, std::string_view host, std::string resource);

    /// A response, or 0 for none, and how long its head took.
    void answered(int status, duration took);
    /// The request is sent again after this response.
    void retried(int status);
    void sent(std::size_t body_bytes);
    /// The whole response was read. @param took  Since the request began, with its retries.
    void finished(std::uint64_t body_bytes, duration took);
    /// The wait for the rate limiter.
    void limited(duration took);

private:
    [[nodiscard]] std::shared_ptr<metrics::histogram> histogram(std::string_view name);
    using counters = std::map<std::string_view, std::shared_ptr<metrics::counter>>;
    void count(counters& in, std::string_view name, std::string_view label, int status);

    std::shared_ptr<metrics> sink_;
    std::string method_;
    std::string host_;
    std::string resource_;
    std::shared_ptr<metrics::histogram> first_byte_;
    std::shared_ptr<metrics::histogram> whole_;
    std::shared_ptr<metrics::histogram> request_size_;
    std::shared_ptr<metrics::histogram> response_size_;
    std::mutex mutex_;
    /// Made with the first wait: most clients have no limit.
    std::shared_ptr<metrics::histogram> limiter_;
    counters answers_;
    counters retries_;
};

/// Finds the line of a request. Thread safe. Has at most 256 lines per method: further resources are counted as "other".
class request_meters
{
public:
    static constexpr std::size_t most_resources = 256;

    /// @param host  "host:port" of the server; empty = another transport.
    request_meters(std::shared_ptr<metrics> sink, std::string host);

    [[nodiscard]] std::shared_ptr<request_line> line(std::string_view method, std::string_view target);

private:
    using lines = std::map<std::string, std::shared_ptr<request_line>, std::less<>>;

    std::shared_ptr<metrics> sink_;
    std::string host_;
    std::mutex mutex_;
    std::map<std::string_view, lines> by_method_;
};

/// Reports to the line when the body has been read. @param begun  When the request began.
[[nodiscard]] std::unique_ptr<answer> measured_answer(std::unique_ptr<answer> of, std::shared_ptr<request_line> line,
                                                      std::shared_ptr<time_source> time, time_point begun);

} // namespace kubecoro::detail
