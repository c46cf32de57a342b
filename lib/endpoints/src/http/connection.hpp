// Serves one client's connection: requests in sequence.
#pragma once

#include "dashboard/snapshot_feed.hpp"
#include "http/request_reader.hpp"
#include "server/answer_budget.hpp"
#include "server/handshake_turns.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/client/detail/server_stream.hpp>
#include <kubecoro/endpoints/streamed_page.hpp>

#include <memory>
#include <optional>
#include <string>

namespace kubecoro::detail {

class server_engine;

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
    connection(std::unique_ptr<server_stream> stream, std::shared_ptr<server_engine> engine, client_id client = {},
               bool encrypted = false);

    /// Serves until the client or the server ends the connection. Errors of a client are not failures.
    [[nodiscard]] static boost::asio::awaitable<result<>> serve(std::shared_ptr<connection> self);

    /// Closes the socket, even while it is in use.
    void close(closing why);
    /// Its turn for the handshake has come.
    void begin_handshake();
    [[nodiscard]] const client_id& client() const noexcept { return client_; }
    [[nodiscard]] time_point deadline() const noexcept { return deadline_; }
    /// Since when the connection waits for its client to send or to receive; empty while the server works for it.
    [[nodiscard]] std::optional<time_point> waits_since() const noexcept { return waits_since_; }
    /// The page that it sends in parts; null otherwise.
    [[nodiscard]] const streamed_page* sends() const noexcept { return sends_; }
    /// Whether it has an answer that counts against the budget.
    [[nodiscard]] bool holds_answer() const noexcept { return holds_answer_; }
    /// Whether it has neither received a part of a request nor works for one.
    [[nodiscard]] bool idle() const noexcept { return idle_; }
    /// Ends after the request in progress, and by `last` at the latest.
    void wind_up(time_point last);

private:
    enum class turn
    {
        next_request,
        close,
        /// The client may still be sending: its input is discarded, so that a reset does not lose the answer.
        drain_and_close
    };

    boost::asio::awaitable<result<>> shake_hands();
    boost::asio::awaitable<void> await_turn();
    boost::asio::awaitable<turn> serve_one();
    /// Makes room for an answer, if clients that stall can give way. @return whether the share has that size.
    boost::asio::awaitable<bool> make_room(answer_budget::share& held, std::size_t bytes);
    /// Reads until a request is complete or refused. @return false when the connection ends.
    boost::asio::awaitable<bool> await_request();
    boost::asio::awaitable<bool> read_more();
    boost::asio::awaitable<bool> send(std::string_view bytes);
    /// Sends snapshots until the client, the server or the stream's time ends it.
    boost::asio::awaitable<void> stream(snapshot_feed::seat& seat);
    /// Sends a body that is made in parts. @return false when the client or the parts have failed.
    boost::asio::awaitable<bool> send_parts(body_parts parts, answer_budget::share& held);
    /// Waits until another part may be made, or the connection is closed.
    boost::asio::awaitable<void> await_part();
    boost::asio::awaitable<turn> refuse();
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
    const streamed_page* sends_ = nullptr;
    /// Before the turn for a handshake, between two snapshots of a stream, and before a part of a page; null otherwise.
    std::unique_ptr<timer> pause_;
    const client_id client_;
    const bool encrypted_;
    bool awaits_turn_ = false;
    bool holds_answer_ = false;
    bool idle_ = true;
    closing closed_ = closing::none;
    std::string failed_ = {};
};

} // namespace kubecoro::detail
