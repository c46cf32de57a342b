#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/endpoints/endpoint_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace kubecoro {

/// Counts since the start.
struct endpoint_stats
{
    /// Connections that were accepted.
    std::uint64_t connections = 0;
    /// Connections that are open.
    std::size_t open_connections = 0;
    /// Connections that were closed by the server: in favour of another one, or past a deadline.
    std::uint64_t closed_by_server = 0;
    /// Requests that were answered, refusals included.
    std::uint64_t requests = 0;
    /// Bytes of answers that wait for their clients.
    std::size_t answer_bytes = 0;
};

/** An HTTP/1.1 server of the program about itself: its health, its metrics, its state.

        health_checks checks;
        checks.add_ready("informers", informers_synced(informers));
        endpoint_server server(executor, {.address = ":8081", .health = checks});
        if (auto started = server.start(); !started) return started.error();

    Serves GET and HEAD. Never reads a file. Thread safe; everything runs on one strand of the executor. Has one owner,
    which awaits stop() before destroying it. Destroying a running server is an error: it is logged, and the server
    ends as soon as its executor allows. It may outlive its execution context. */
class endpoint_server
{
public:
    /// @param executor  Runs the server and its health checks.
    explicit endpoint_server(boost::asio::any_io_executor executor, endpoint_options options = {});
    ~endpoint_server();
    endpoint_server(endpoint_server&&) noexcept = default;
    endpoint_server& operator=(endpoint_server&&) = delete;

    /// Binds the address and begins to serve; returns at once. Errors: misconfigured, with the address and the reason;
    /// cancelled, after stop().
    result<> start();
    /// Whether it has a socket: started, and its address is not off.
    [[nodiscard]] bool listening() const;
    /// The bound port; 0 when it does not listen.
    [[nodiscard]] std::uint16_t port() const;
    /// Such as "http://127.0.0.1:8080"; empty when it does not listen.
    [[nodiscard]] std::string url() const;

    /** Closes the socket and idle connections, lets requests in progress finish within the grace period, and completes
        when nothing runs any more. Idempotent.

        Must not be awaited by a health check.
        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    /// Begins stop() without waiting. Any thread.
    void request_stop();

    /// A picture of the present state. Any thread.
    [[nodiscard]] endpoint_stats stats() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
