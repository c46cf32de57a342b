// The state that the connections of a server share, and the answers to their requests.
#pragma once

#include "health/health_core.hpp"
#include "http/request.hpp"
#include "server/endpoint_meters.hpp"
#include "server/http_answer.hpp"

#include <kubecoro/endpoints/endpoint_options.hpp>
#include <kubecoro/http/detail/connection.hpp>

#include <exception>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The cost of a client of a server with these limits.
[[nodiscard]] connection_limits limits_of(const endpoint_limits& l);

/// Strand-confined.
class server_engine final : public fair_service
{
public:
    /// @param options  With a clock.
    server_engine(std::shared_ptr<connection_table> table, endpoint_options options,
                  std::shared_ptr<endpoint_meters> meters);

    /// Only requests for an address or localhost are answered from now on.
    void expect_local_hosts() noexcept { local_only_ = true; }

    /// Empty when the connection is closed meanwhile. Fails only when it is cancelled.
    boost::asio::awaitable<std::optional<http_reply>> answer(incoming_request& request, connection& by) override;
    http_reply refusal(request_reader::state why) override;
    time_point pass_on() override;
    void on_accepted(bool admitted) override;
    void on_end(closing why, const std::string& failed) override;

private:
    class page_source;
    class snapshot_source;

    /// Answers, as soon as there is room for the answer.
    boost::asio::awaitable<http_answer> answer_in_room(const incoming_request& request, shared_turn& held,
                                                       connection& by);
    boost::asio::awaitable<http_answer> make_answer(const incoming_request& request, connection& by);
    /// Counts an answer, and logs a refusal.
    void count(const http_answer& answer, const incoming_request& request = {});
    /// An answer that is made in parts has no end.
    void on_broken_off(std::string_view why);
    boost::asio::awaitable<http_answer> route(const incoming_request& request, connection& by);
    [[nodiscard]] std::optional<http_answer> refusal_of(const incoming_request& request) const;
    [[nodiscard]] http_answer answer_dashboard(const incoming_request& request) const;
    boost::asio::awaitable<http_answer> answer_stream(const incoming_request& request, connection& by);
    [[nodiscard]] std::string debug_path(const request_target& target) const;
    /// Why the request may not have what is at the path; nothing when it may.
    boost::asio::awaitable<std::optional<http_answer>> refusal_by_token(const incoming_request& request,
                                                                        std::string path, connection& by) const;
    boost::asio::awaitable<http_answer> answer_health(const request_target& target, connection& by);
    [[nodiscard]] http_answer answer_metrics(const incoming_request& request);
    /// The answer in place of one that an exception has prevented. A cancellation goes on.
    [[nodiscard]] http_answer failed(std::exception_ptr thrown);
    void on_repeated();
    boost::asio::awaitable<http_answer> answer_page(std::size_t page, const incoming_request& request, connection& by);
    boost::asio::awaitable<http_answer> answer_debug(const request_target& target, const incoming_request& request,
                                                     connection& by);
    void publish_open();

    endpoint_options options_;
    std::shared_ptr<endpoint_meters> meters_;
    /// Null without debug pages.
    std::shared_ptr<snapshot_feed> feed_;
    rendered_page metrics_page_;
    /// Debug pages and details of health: one at a time.
    client_turns renders_;
    /// Parts of streamed pages: one at a time.
    client_turns parts_;
    /// Bytes of answers.
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
};

} // namespace kubecoro::detail
