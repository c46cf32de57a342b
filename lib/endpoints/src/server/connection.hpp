// Serves one client's connection: requests in sequence.
#pragma once

#include "dashboard/snapshot_feed.hpp"
#include "http/request.hpp"
#include "server/shared_turn.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/client/detail/server_stream.hpp>
#include <kubecoro/endpoints/endpoint_options.hpp>

#include <memory>
#include <optional>
#include <string>

namespace kubecoro::detail {

class server_engine;
struct http_answer;

/// Why the server has closed a connection by itself.
enum class closing
{
    none,
    past_deadline,
    /// Before its turn for a TLS handshake.
    without_handshake,
    for_another,
    stopping
};

/// Strand-confined. Its deadline is enforced by the connection_table.
class connection : public std::enable_shared_from_this<connection>
{
public:
    /// @param encrypted  Whether the handshake is one of TLS.
    connection(std::unique_ptr<server_stream> stream, std::shared_ptr<server_engine> engine,
               const boost::asio::ip::address& from = {}, bool encrypted = false);

    /// Serves until the client or the server ends the connection. Errors of a client are not failures.
    [[nodiscard]] static boost::asio::awaitable<result<>> serve(std::shared_ptr<connection> self);

    /// Closes the socket, even while it is in use.
    void close(closing why);
    [[nodiscard]] const boost::asio::ip::address& address() const noexcept { return address_; }
    [[nodiscard]] const client_id& client() const noexcept { return client_; }
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }
    /// Since when the connection waits for its client to send or to receive, or for a turn; empty while the server works for it.
    [[nodiscard]] std::optional<time_point> waits_since() const noexcept { return waits_since_; }
    [[nodiscard]] bool awaits_turn() const noexcept { return awaits_turn_; }
    /// Since when it sends an answer.
    [[nodiscard]] std::optional<time_point> answers_since() const noexcept { return answers_since_; }
    /// The page that it sends in parts; null otherwise.
    [[nodiscard]] const streamed_page* sends() const noexcept { return sends_; }
    /// Whether it has an answer that counts as endpoint_limits::max_answer_bytes.
    [[nodiscard]] bool holds_answer() const noexcept { return holds_answer_; }
    /// Whether it sends snapshots.
    [[nodiscard]] bool streams() const noexcept { return streams_; }

    /// A request waits for a turn: in a crowd, its connection may have to leave.
    class turn_wait
    {
    public:
        explicit turn_wait(connection& c) noexcept;
        ~turn_wait();
        turn_wait(const turn_wait&) = delete;
        turn_wait& operator=(const turn_wait&) = delete;

    private:
        connection& of_;
        const std::optional<time_point> before_;
    };
    /// Waits for a turn of a request. @return false when it does not come within half of the time for the answer, or the
    /// connection is closed.
    [[nodiscard]] boost::asio::awaitable<bool> take_turn(shared_turn& t, std::size_t units = 1);
    /// Whether it has neither received a part of a request nor works for one.
    [[nodiscard]] bool idle() const noexcept { return idle_; }
    /// Ends after the request in progress, and by `last` at the latest.
    void wind_up(time_point last);

private:
    enum class next_step
    {
        request,
        close,
        /// The client may still be sending: its input is discarded, so that a reset does not lose the answer.
        drain_and_close
    };

    boost::asio::awaitable<result<>> shake_hands();
    /// The deadline of the connection ends the wait as well.
    /// @param begun  The answer is in progress, which a stop lets finish.
    boost::asio::awaitable<bool> await_turn(shared_turn& t, std::size_t units, time_point latest, bool begun = false);
    boost::asio::awaitable<next_step> serve_one();
    /// Answers, as soon as there is room for the answer.
    boost::asio::awaitable<http_answer> answer_in_room(const request_head& request, shared_turn& held);
    /// @return whether all was sent.
    boost::asio::awaitable<bool> send_answer(http_answer answer, bool head_only, bool keep_alive, shared_turn& held);
    /// Reads until a request is complete or refused. @return false when the connection ends.
    boost::asio::awaitable<bool> await_request();
    boost::asio::awaitable<bool> read_more();
    boost::asio::awaitable<bool> send(std::string_view bytes);
    /// Sends snapshots until the client, the server or the stream's time ends it.
    boost::asio::awaitable<void> stream(snapshot_feed::seat& seat);
    /// Sends a body that is made in parts. @return false when the client or the parts have failed.
    boost::asio::awaitable<bool> send_parts(body_parts parts, shared_turn& held);
    boost::asio::awaitable<next_step> refuse();
    boost::asio::awaitable<void> drain();
    void end_within(duration d);
    void report_end();

    std::unique_ptr<server_stream> stream_;
    std::shared_ptr<server_engine> engine_;
    request_reader requests_;
    std::string input_;
    time_point deadline_;
    time_point last_ = time_point::max();
    std::optional<time_point> waits_since_;
    std::optional<time_point> answers_since_ = {};
    const streamed_page* sends_ = nullptr;
    /// Before a turn, and between two snapshots of a stream; null until the first one.
    std::unique_ptr<timer> pause_;
    const boost::asio::ip::address address_;
    const client_id client_;
    const bool encrypted_;
    bool awaits_turn_ = false;
    bool shaken_;
    bool holds_answer_ = false;
    bool streams_ = false;
    bool idle_ = true;
    closing closed_ = closing::none;
    std::string failed_ = {};
};

} // namespace kubecoro::detail
