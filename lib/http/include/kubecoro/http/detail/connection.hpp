// Serves one client's connection: requests in sequence.
#pragma once

#include <kubecoro/http/detail/connection_table.hpp>
#include <kubecoro/http/detail/http_service.hpp>

#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/client/detail/server_stream.hpp>

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro::detail {

/// The most that a client may cost. Longest duration = no limit.
struct connection_limits
{
    request_limits http = {};
    /// Each of: the TLS handshake, the head of a request from its first byte, and its body.
    duration request_timeout = std::chrono::seconds{10};
    /// Without a request.
    duration idle_timeout = std::chrono::seconds{90};
    /// For each 64 KiB of an answer.
    duration write_timeout = duration::max();
    /// From the end of a request until the client has received the answer, or a part of a live one.
    duration answer_timeout = duration::max();
    /// Bytes that are read ahead of what the server works for. Larger than a head, so that one that is too long is noticed.
    std::size_t input = 80 * 1024;
    /// Longer bodies are sent in chunks on a connection that goes on.
    std::size_t counted_body = std::numeric_limits<std::size_t>::max();
    /// Whether a connection whose client has to read an answer gives way to others as one does that waits for a request.
    bool readers_give_way = true;
};

/** Runs two coroutines on one strand. The reader keeps a read pending while the input has room, and so notices that the client
    disconnects; serve() does everything else. The connection_table enforces the deadlines. */
class connection : public std::enable_shared_from_this<connection>
{
public:
    /// @param encrypted  Whether the handshake is one of TLS.
    connection(boost::asio::any_io_executor strand, std::unique_ptr<server_stream> stream,
               std::shared_ptr<connection_table> table, std::shared_ptr<http_service> service,
               const connection_limits& limits, const boost::asio::ip::address& from = {}, bool encrypted = false);

    /// Serves until the client or the server ends the connection. Errors of a client are not failures. @param tasks  Runs the
    /// reader, and outlives it.
    [[nodiscard]] static boost::asio::awaitable<result<>> serve(std::shared_ptr<connection> self, task_group& tasks);

    // From any thread:

    /// Closes the socket, even while it is in use.
    void close(closing why);
    /// Resets the socket, as a failure of the network would.
    void cut();
    /// Ends after the request in progress, and by `last` at the latest.
    void wind_up(time_point last);
    [[nodiscard]] time_point deadline() const noexcept;
    /// Since when the connection waits for its client to send or to receive, or for a turn; empty while the server works for it.
    [[nodiscard]] std::optional<time_point> waits_since() const noexcept { return at(waits_since_); }
    /// Since when it sends an answer.
    [[nodiscard]] std::optional<time_point> answers_since() const noexcept { return at(answers_since_); }
    [[nodiscard]] const boost::asio::ip::address& address() const noexcept { return address_; }
    [[nodiscard]] const client_id& client() const noexcept { return client_; }

    // For its service, on its strand:

    /// The client's certificate, if it has shown one.
    [[nodiscard]] const std::optional<peer_certificate>& peer() const noexcept { return peer_; }
    /// Whether the client has sent its last byte, or the connection is broken.
    [[nodiscard]] bool input_ended() const noexcept { return input_ended_; }
    /// Whether so much has been sent ahead that the end of input would not be noticed.
    [[nodiscard]] bool flooded() const noexcept { return input_.size() >= limits_.input; }
    /// Notified when the client has sent something or has disconnected, and when the server stops.
    [[nodiscard]] const wake_signal& wake() const noexcept { return wake_; }
    /// Lowers the limit of the body of the request whose head has arrived.
    void limit_body(std::size_t bytes) noexcept { requests_.limit_body(bytes); }
    /// Whether the socket is closed, or about to be.
    [[nodiscard]] bool closed() const noexcept { return done_; }
    /// Whether its answer should end: the socket is closed, or the server stops.
    [[nodiscard]] bool ends() const noexcept { return done_ || table_->closed(); }
    [[nodiscard]] bool awaits_turn() const noexcept { return awaits_turn_; }
    /// Whether the answer that is being sent has units of these turns.
    [[nodiscard]] bool holds(const client_turns& of) const noexcept;

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
        const duration::rep before_;
    };
    /// Waits for a turn. The connection's deadline ends the wait as well. @param begun  The answer is in progress, which a stop
    /// lets finish. @return false when it does not come by `latest`, or the connection ends.
    [[nodiscard]] boost::asio::awaitable<bool> await_turn(shared_turn& t, std::size_t units = 0,
                                                          time_point latest = time_point::max(), bool begun = false);
    /// As await_turn(), within half of the time for the answer.
    [[nodiscard]] boost::asio::awaitable<bool> take_turn(shared_turn& t, std::size_t units = 1);
    /// Waits until then, or until the connection ends.
    [[nodiscard]] boost::asio::awaitable<void> pause_until(time_point when);

private:
    enum class turn
    {
        next_request,
        close,
        /// The client may still be sending: its input is discarded, so that a reset does not lose the answer.
        drain_and_close
    };
    /// The request, a refusal of it, or neither when the connection ends.
    struct arrival
    {
        std::optional<incoming_request> request = {};
        std::optional<http_reply> refusal = {};
    };
    struct delivery
    {
        bool head_only = false;
        bool keep_alive = false;
        bool may_chunk = false;
    };

    [[nodiscard]] static std::optional<time_point> at(const std::atomic<duration::rep>& since) noexcept;
    static boost::asio::awaitable<result<>> read(std::shared_ptr<connection> self);
    boost::asio::awaitable<result<>> shake_hands();
    boost::asio::awaitable<turn> serve_one();
    boost::asio::awaitable<arrival> next_request();
    /// The refusal that the bytes received so far call for, if any.
    [[nodiscard]] std::optional<http_reply> refusal_of_bytes();
    /// @return whether all was sent.
    boost::asio::awaitable<bool> send_reply(http_reply& reply, delivery how);
    boost::asio::awaitable<bool> send_body(http_reply& reply, std::string head, framing frame);
    /// Sends three texts and clears the first one. Small ones are joined in it.
    boost::asio::awaitable<bool> send_joined(std::string& first, std::string_view bytes, std::string_view last);
    boost::asio::awaitable<bool> send(server_stream::texts bytes);
    boost::asio::awaitable<void> say_goodbye(bool drains);
    void feed();
    void end(closing why, bool reset);
    [[nodiscard]] time_point now() const noexcept { return table_->time().now(); }
    void end_by(time_point when);
    void end_within(duration d) { end_by(time_after(now(), d)); }

    boost::asio::any_io_executor strand_;
    std::unique_ptr<server_stream> stream_;
    std::shared_ptr<connection_table> table_;
    std::shared_ptr<http_service> service_;
    const connection_limits limits_;
    request_reader requests_;
    byte_budget::share body_share_;
    const boost::asio::ip::address address_;
    const client_id client_;
    const bool encrypted_;
    std::optional<peer_certificate> peer_ = {};

    std::string input_;
    bool input_ended_ = false;
    /// The socket is closed, or about to be.
    bool done_ = false;
    bool awaits_turn_ = false;
    bool shaken_;
    closing closed_ = closing::none;
    std::string failed_ = {};
    /// Wakes serve(): input, end of input, output of a live answer, server stopping.
    wake_signal wake_;
    /// Wakes the reader: the input has room.
    wake_signal room_;
    /// The timer of a wait for a turn or a time; null until the first one.
    std::unique_ptr<timer> pause_;
    /// The answer that is being sent.
    const http_reply* current_ = nullptr;
    time_point answer_deadline_ = time_point::max();

    std::atomic<duration::rep> deadline_;
    std::atomic<duration::rep> last_;
    std::atomic<duration::rep> waits_since_;
    std::atomic<duration::rep> answers_since_;
};

} // namespace kubecoro::detail
