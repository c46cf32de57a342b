// The state that the connections of a server share, and the answers to their requests.
#pragma once

#include "health/health_core.hpp"
#include "http/http_answer.hpp"
#include "http/request_reader.hpp"
#include "http/request_target.hpp"
#include "server/answer_budget.hpp"
#include "server/connection_table.hpp"
#include "server/endpoint_meters.hpp"
#include "server/log_pace.hpp"
#include "server/rendered_page.hpp"

#include <kubecoro/endpoints/endpoint_options.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <exception>

namespace kubecoro::detail {

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
    [[nodiscard]] answer_budget& budget() noexcept { return meters_->budget(); }
    [[nodiscard]] const logger& log() const noexcept { return options_.log; }
    [[nodiscard]] bool stopping() const noexcept { return stopping_; }

    /// Only requests for an address or localhost are answered from now on.
    void expect_local_hosts() noexcept { local_only_ = true; }
    void begin_stop() noexcept { stopping_ = true; }

    /// Answers a request. Fails only when it is cancelled.
    [[nodiscard]] boost::asio::awaitable<http_answer> answer(request_head request);
    /// The answer that replaces one for which there is no room.
    [[nodiscard]] http_answer no_room();
    /// Closes the connection that has waited longest for its client to read an answer. @return false when none stalls.
    [[nodiscard]] bool end_stalled_answer();
    /// Counts a refusal, and logs it.
    [[nodiscard]] http_answer count(http_answer answer);

    /// Counts the time since `begin` as spent on debug pages.
    void on_debug_page(time_point begin) noexcept { debug_budget_.spend(begin, now()); }
    /// Time before the next part of a streamed page may be made.
    [[nodiscard]] duration part_wait() noexcept { return page_budget_.wait(now()); }
    /// Counts its lifetime as spent on a part of a streamed page.
    [[nodiscard]] render_budget::cost part_cost() noexcept { return {page_budget_, time(), now()}; }
    /// An answer that is made in parts has no end.
    void on_broken_off(std::string_view why);
    /// A connection was accepted, or refused because there is no room.
    void on_accepted(bool admitted);
    /// A connection has ended. @param failed  Why its handshake failed; empty = it did not.
    void on_end(closing why, const std::string& failed);

private:
    boost::asio::awaitable<http_answer> route(const request_head& request);
    [[nodiscard]] std::optional<http_answer> refusal_of(const request_head& request) const;
    [[nodiscard]] http_answer answer_dashboard(const request_head& request) const;
    [[nodiscard]] http_answer answer_stream(const request_head& request);
    [[nodiscard]] std::string debug_path(const request_target& target) const;
    /// Why the request may not have what is at the path; nothing when it may.
    boost::asio::awaitable<std::optional<http_answer>> refusal_by_token(const request_head& request,
                                                                        std::string path) const;
    boost::asio::awaitable<http_answer> answer_health(const request_target& target);
    [[nodiscard]] health_answer health_in_budget(const health_query& query, const std::vector<std::string>& existing,
                                                 std::vector<health_outcome> outcomes);
    [[nodiscard]] http_answer answer_metrics(const request_head& request);
    /// The answer in place of one that an exception has prevented. A cancellation goes on.
    [[nodiscard]] http_answer failed(std::exception_ptr thrown);
    /// The state of the program was asked for more often than it is shown.
    [[nodiscard]] http_answer too_often() const;
    void on_repeated();
    /// Makes one, if a client that stalls has to give way.
    [[nodiscard]] bool has_place(const streamed_page& page);
    bool end_stalled(const connection_table::predicate& among);
    [[nodiscard]] http_answer answer_page(const streamed_page& page, const request_head& request);
    [[nodiscard]] http_answer answer_debug(const request_target& target, const request_head& request);
    void publish_open();

    boost::asio::any_io_executor strand_;
    endpoint_options options_;
    std::shared_ptr<endpoint_meters> meters_;
    connection_table table_;
    /// Null without debug pages.
    std::shared_ptr<snapshot_feed> feed_;
    rendered_page metrics_page_;
    render_budget debug_budget_;
    render_budget detail_budget_;
    render_budget page_budget_;
    log_pace repeats_;
    log_pace refusals_;
    log_pace breaks_;
    log_pace closings_;
    bool local_only_ = false;
    bool stopping_ = false;
};

} // namespace kubecoro::detail
