// Serves one client's connection: HTTP/1.1 requests in sequence, answered with a body or a watch.
#pragma once

#include "http/connection_codec.hpp"
#include "http/server_engine.hpp"

#include <kubecoro/client/detail/server_stream.hpp>

#include <atomic>

namespace kubecoro::apiserver {

struct connection_limits
{
    http_limits http = {};
    duration request_timeout;
    duration idle_timeout;
    duration write_timeout;
};

/** Runs two coroutines on one strand. The reader keeps a read pending while the input buffer has room, and so detects
    when the client disconnects; serve() does everything else. Deadlines are kept here and enforced by the listener's
    sweep. Closing the socket wakes both coroutines. */
class connection : public std::enable_shared_from_this<connection>
{
public:
    connection(boost::asio::any_io_executor strand, std::unique_ptr<detail::server_stream> stream,
               std::shared_ptr<server_engine> engine, connection_limits limits);

    /// Serves until the client or the server ends the connection. Errors of a client are not failures.
    [[nodiscard]] static boost::asio::awaitable<result<>> serve(std::shared_ptr<connection> self, task_group& tasks);

    /// Thread safe: resets the socket.
    void cut();
    /// Thread safe: closes the socket, even while it is in use.
    void close();
    /// Thread safe: called when the server stops; the connection ends by `last` at the latest.
    void wind_up(time_point last);
    /// Thread safe: closes the socket when a deadline has passed.
    void sweep(time_point now);
    /// Thread safe: since when the connection waits for the client's handshake or request; empty while it serves one.
    [[nodiscard]] std::optional<time_point> waits_since() const;

private:
    /// The outcome of waiting for a request: the request, a refusal of it, or neither when the connection ends.
    struct arrival
    {
        std::optional<request_reader::message> message = {};
        std::optional<http_response> refusal = {};
    };

    enum class turn
    {
        next_request,
        close,
        /// The client may still be sending: discard its input, so that a reset does not lose the answer.
        drain_and_close
    };

    static boost::asio::awaitable<result<>> read(std::shared_ptr<connection> self);
    boost::asio::awaitable<turn> serve_one();
    boost::asio::awaitable<arrival> next_message();
    /// The refusal that the bytes received so far call for, if any.
    [[nodiscard]] std::optional<http_response> refusal_of_bytes();
    boost::asio::awaitable<turn> answer(http_response& response, bool keep_alive, bool may_chunk);
    boost::asio::awaitable<turn> stream_watch(engine_answer& opened, const request_reader::message& message);
    boost::asio::awaitable<bool> send(std::string_view bytes);
    boost::asio::awaitable<void> drain();
    void feed();
    void drop(bool reset);
    void deadline_in(duration d);

    boost::asio::any_io_executor strand_;
    std::unique_ptr<detail::server_stream> stream_;
    std::shared_ptr<server_engine> engine_;
    connection_limits limits_;
    request_reader requests_;
    std::optional<user_info> user_;
    byte_budget::share body_share_;

    std::string input_;
    /// The client has sent its last byte, or the connection is broken.
    bool input_ended_ = false;
    /// The socket is closed, or about to be.
    bool done_ = false;
    /// Wakes serve(): input, end of input, output of a watch, server stopping.
    wake_signal wake_;
    /// Wakes the reader: the input buffer has room.
    wake_signal room_;

    std::atomic<duration::rep> deadline_;
    std::atomic<duration::rep> last_;
    std::atomic<duration::rep> waits_since_;
};

} // namespace kubecoro::apiserver
