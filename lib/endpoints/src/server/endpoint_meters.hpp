// The numbers of an endpoint server.
#pragma once

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/endpoints/endpoint_server.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/// Counts what the server does, for stats() and for the metrics sink. Written on the server's strand; read by any thread.
class endpoint_meters
{
public:
    /// @param sink  Empty = none.
    explicit endpoint_meters(std::shared_ptr<metrics> sink);

    void on_request(std::string_view endpoint, int status);
    /// @param outcome  accepted, closed_past_deadline, closed_for_another, closed_without_handshake, refused, failed.
    void on_connection(const char* outcome);
    /// A page was served as it was made for an earlier request.
    void on_repeated_page();
    void on_open_connections(std::size_t n);
    /// Bytes of answers that wait for their clients.
    void on_answer_bytes(std::size_t n) noexcept { answer_bytes_ = n; }
    [[nodiscard]] endpoint_stats stats() const;

private:
    using series = std::shared_ptr<metrics::counter>;

    std::shared_ptr<metrics> sink_;
    std::shared_ptr<metrics::gauge> open_gauge_;
    series repeated_;
    std::map<std::pair<std::string, int>, series> requests_by_;
    std::map<std::string, series, std::less<>> connections_by_;
    std::atomic<std::uint64_t> requests_{0}, connections_{0}, closed_{0};
    std::atomic<std::size_t> open_{0}, answer_bytes_{0};
};

} // namespace kubecoro::detail
