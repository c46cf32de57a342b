// One client's connection: HTTP/1.1 requests in sequence, unary answers and watches.
#pragma once

#include "http/byte_budget.hpp"
#include "http/connection_codec.hpp"
#include "http/connection_stream.hpp"
#include "http/server_engine.hpp"

#include <atomic>

namespace kubecoro::apiserver {

struct connection_limits
{
    http_limits http = {};
    duration request_timeout;
    duration idle_timeout;
    duration write_timeout;
};

/** Two coroutines on one strand: the reader, which has a read pending while there is room for what it reads and so
    notices when the client goes away, and serve(), which does everything else. Deadlines are kept here and enforced by the
    listener's sweep. Closing the socket wakes both, whichever of them waits for the other. */
class connection : public std::enable_shared_from_this<connection>
{
public:
    connection(boost::asio::any_io_executor strand, std::unique_ptr<byte_stream> stream,
               std::shared_ptr<server_engine> engine, connection_limits limits);

    /// Serves until the client or the server is done. What a client does wrong is no failure.
    [[nodiscard]] static boost::asio::awaitable<result<>> serve(std::shared_ptr<connection> self, task_group& tasks);

    /// Thread safe: resets the socket.
    void cut();
    /// Thread safe: closes the socket, whatever it is being used for.
    void close();
    /// Thread safe: looks at the server's state again (it stops); ends by `last` at the latest.
    void wind_up(time_point last);
    /// Thread safe: closes the socket when a deadline has passed.
    void sweep(time_point now);
    /// Thread safe: since when the client owes the handshake, a request or the rest of one; empty while it is served.
    [[nodiscard]] std::optional<time_point> waits_since() const;

private:
    /// The outcome of waiting for a request: the request, what to answer instead of it, or nothing more to come.
    struct arrival
    {
        std::optional<request_reader::message> message = {};
        std::optional<http_response> refusal = {};
    };

    enum class turn
    {
        next_request,
        close,
        /// The client may still be sending: read it away so that the answer is not lost to a reset.
        drain_and_close
    };

    static boost::asio::awaitable<result<>> read(std::shared_ptr<connection> self);
    boost::asio::awaitable<turn> serve_one();
    boost::asio::awaitable<arrival> next_message();
    /// What is wrong with the request so far, as far as its bytes tell.
    [[nodiscard]] std::optional<http_response> refusal_of_bytes();
    boost::asio::awaitable<turn> answer(http_response& response, bool keep_alive, bool may_chunk);
    boost::asio::awaitable<turn> stream_watch(engine_answer& opened, const request_reader::message& message);
    boost::asio::awaitable<bool> send(std::string_view bytes);
    boost::asio::awaitable<void> drain();
    void feed();
    void drop(bool reset);
    void deadline_in(duration d);

    boost::asio::any_io_executor strand_;
    std::unique_ptr<byte_stream> stream_;
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
    /// For serve(): input, end of input, something to watch, the server stops.
    wake_signal wake_;
    /// For the reader: there is room again.
    wake_signal room_;

    std::atomic<duration::rep> deadline_;
    std::atomic<duration::rep> last_;
    std::atomic<duration::rep> waits_since_;
};

} // namespace kubecoro::apiserver
