// The state that the connections of a server share, and the answers to their requests.
#pragma once

#include "health/health_core.hpp"
#include "http/request.hpp"
#include "server/connection_table.hpp"
#include "server/http_answer.hpp"
#include "turns/client_turns.hpp"

#include <kubecoro/base/metrics.hpp>
#include <kubecoro/endpoints/endpoint_options.hpp>
#include <kubecoro/endpoints/endpoint_server.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>

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

/// Strand-confined.
class server_engine
{
public:
    /// @param options  With a clock.
    server_engine(const boost::asio::any_io_executor& strand, endpoint_options options,
                  std::shared_ptr<endpoint_meters> meters);

    [[nodiscard]] const boost::asio::any_io_executor& strand() const noexcept { return strand_; }
    [[nodiscard]] const endpoint_limits& limits() const noexcept { return options_.limits; }
    [[nodiscard]] time_source& time() const noexcept { return *options_.time; }
    [[nodiscard]] time_point now() const noexcept { return options_.time->now(); }
    [[nodiscard]] wall_time wall_now() const noexcept { return options_.time->wall_now(); }
    [[nodiscard]] connection_table& table() noexcept { return table_; }
    [[nodiscard]] const logger& log() const noexcept { return options_.log; }
    [[nodiscard]] bool stopping() const noexcept { return stopping_; }

    /// Only requests for an address or localhost are answered from now on.
    void expect_local_hosts() noexcept { local_only_ = true; }
    void begin_stop() noexcept { stopping_ = true; }

    /// Answers a request. Fails only when it is cancelled.
    [[nodiscard]] boost::asio::awaitable<http_answer> answer(const request_head& request, connection& by);
    /// The answer that replaces one for which there is no room.
    [[nodiscard]] http_answer no_room() const;
    /// Counts an answer, and logs a refusal.
    void count(const http_answer& answer, const request_head& request = {});

    // Shared by the clients, by turns.

    /// TLS handshakes that begin.
    [[nodiscard]] client_turns& handshakes() noexcept { return handshakes_; }
    /// Requests that are answered.
    [[nodiscard]] client_turns& requests() noexcept { return requests_; }
    /// Parts of streamed pages: one at a time.
    [[nodiscard]] client_turns& parts() noexcept { return parts_; }
    /// Bytes of answers.
    [[nodiscard]] client_turns& bytes() noexcept { return bytes_; }
    /// Begins the turns whose time has come. @return when to call it again.
    time_point pass_on();
    /// Ends an answer in favour of the next one that waits: one whose client stalls, or an old one of an address that has more.
    void make_way(const client_turns& of);

    /// Counts the time since `begin` as spent on debug pages.
    void on_debug_page(time_point begin) noexcept { renders_.spend(begin, now()); }
    /// An answer that is made in parts has no end.
    void on_broken_off(std::string_view why);
    /// A connection was accepted, or refused because there is no room.
    void on_accepted(bool admitted);
    /// A connection has ended. @param failed  Why its handshake failed; empty = it did not.
    void on_end(closing why, const std::string& failed);

private:
    boost::asio::awaitable<http_answer> route(const request_head& request, connection& by);
    [[nodiscard]] std::optional<http_answer> refusal_of(const request_head& request) const;
    [[nodiscard]] http_answer answer_dashboard(const request_head& request) const;
    boost::asio::awaitable<http_answer> answer_stream(const request_head& request, connection& by);
    [[nodiscard]] std::string debug_path(const request_target& target) const;
    /// Why the request may not have what is at the path; nothing when it may.
    boost::asio::awaitable<std::optional<http_answer>> refusal_by_token(const request_head& request, std::string path,
                                                                        connection& by) const;
    boost::asio::awaitable<http_answer> answer_health(const request_target& target, connection& by);
    [[nodiscard]] http_answer answer_metrics(const request_head& request);
    /// The answer in place of one that an exception has prevented. A cancellation goes on.
    [[nodiscard]] http_answer failed(std::exception_ptr thrown);
    void on_repeated();
    /// Whether a connection holds units of these turns; empty when none holds any for long.
    [[nodiscard]] connection_table::predicate holders_of(const client_turns& of) const;
    boost::asio::awaitable<http_answer> answer_page(std::size_t page, const request_head& request, connection& by);
    boost::asio::awaitable<http_answer> answer_debug(const request_target& target, const request_head& request,
                                                     connection& by);
    void publish_open();

    boost::asio::any_io_executor strand_;
    endpoint_options options_;
    std::shared_ptr<endpoint_meters> meters_;
    connection_table table_;
    /// Null without debug pages.
    std::shared_ptr<snapshot_feed> feed_;
    rendered_page metrics_page_;
    client_turns handshakes_;
    client_turns requests_;
    /// Debug pages and details of health: one at a time.
    client_turns renders_;
    client_turns parts_;
    client_turns bytes_;
    /// Dashboards that are open.
    client_turns streams_;
    /// Answers in progress of each of the pages.
    std::vector<client_turns> places_;
    log_pace repeats_;
    log_pace refusals_;
    log_pace breaks_;
    log_pace closings_;
    bool local_only_ = false;
    bool stopping_ = false;
};

} // namespace kubecoro::detail
