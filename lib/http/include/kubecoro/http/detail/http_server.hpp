// A server: its sockets, its connections and their end.
#pragma once

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/http/detail/connection.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The address that a server listens on.
struct listen_address
{
    /// Opens no socket.
    bool off = false;
    /// Every interface, of both protocols where there are both.
    bool everywhere = false;
    boost::asio::ip::address address = {};
    std::uint16_t port = 0;
};

/// Parses what endpoint_options::address describes. Errors: misconfigured.
[[nodiscard]] result<listen_address> parse_listen_address(std::string_view text);

/// "http://127.0.0.1:8080".
[[nodiscard]] std::string url_of(const boost::asio::ip::address& address, std::uint16_t port, bool tls);

/// A socket and what its clients may cost.
struct listen_options
{
    listen_address at = {};
    /// The TLS settings of a connection that arrives now, so that certificates may change. Called on the server's strand. Empty =
    /// plain HTTP.
    std::function<std::shared_ptr<server_tls>()> tls = {};
    connection_limits limits = {};
    /// Bytes that the kernel keeps for each client. 0 = as many as it likes.
    int send_buffer = 0;
};

/// An address on which a server listens.
struct bound_address
{
    boost::asio::ip::address address = {};
    std::uint16_t port = 0;
    bool tls = false;
    [[nodiscard]] std::string url() const { return url_of(address, port, tls); }
};

/** Accepts connections and serves them until stop().

    Thread safe. May outlive its context. Not destroyed while running() is not zero, unless keep_until_ended() keeps it. */
class http_server
{
public:
    struct settings
    {
        /// In the names of its coroutines: "endpoints".
        std::string title = {};
        /// Answers the requests.
        std::shared_ptr<http_service> service = {};
        /// Made with the same strand.
        std::shared_ptr<connection_table> table = {};
        /// Runs the loops.
        kept_executor strand = {};
        /// Each connection has a strand of its own on this one. Empty = all of them run on `strand`.
        kept_executor connections = {};
        /// Time that a stop gives requests in progress.
        duration grace = std::chrono::seconds{2};
        logger log = {};
        /// As in task_group: the server cannot go on, and end() should follow. Empty = it is logged.
        task_group::failure_handler on_failure = {};
    };
    explicit http_server(settings s);

    /// Binds an address and serves it. Errors: misconfigured, with the address; cancelled, after request_stop().
    [[nodiscard]] result<bound_address> listen(listen_options options);
    /// Closes the sockets, and ends connections after their requests in progress.
    void request_stop();
    /// Ends everything at once.
    void end();
    /// Completes when nothing runs any more. @par Cancellation  ends the wait.
    [[nodiscard]] boost::asio::awaitable<result<>> join();
    [[nodiscard]] std::size_t running() const { return loops_.running() + connections_.running(); }
    void keep_until_ended(const std::shared_ptr<void>& owner);

private:
    class listener;
    [[nodiscard]] bool start(const std::shared_ptr<listener>& opened);

    const settings with_;
    /// A failure of one ends nothing else.
    task_group connections_;
    task_group loops_;
    std::mutex mutex_;
    /// Bound to the context, because their sockets must not outlive it.
    std::vector<context_bound<std::shared_ptr<listener>>> listeners_;
    bool stopped_ = false;
};

} // namespace kubecoro::detail
