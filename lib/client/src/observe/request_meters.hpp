#pragma once
// Counts and times the requests of a client, under client-go's names where they exist. Labels are bounded, whatever a
// program asks for and a server answers.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/client/transport.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// "GET", ...; "other" for an unusual method. Static storage.
[[nodiscard]] std::string_view method_label(std::string_view method) noexcept;

/// "200" for the codes that Kubernetes uses, "4xx" for others, "<error>" (as in client-go) for 0, no response. Static
/// storage.
[[nodiscard]] std::string_view code_label(int status) noexcept;

/** "pods", "deployments.apps", "pods/status"; "none" for discovery and other paths, "other" for what is no name of a
    resource. Names of objects and namespaces never appear.

    @param target  Path and query of the request. */
[[nodiscard]] std::string resource_label(std::string_view target);

/// Whether the response may have no end: a watch, or a log that is followed. Its parameter counts, whatever its value.
[[nodiscard]] bool is_stream(std::string_view target) noexcept;

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
