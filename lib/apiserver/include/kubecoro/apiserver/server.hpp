#pragma once

#include <kubecoro/admission/webhook_calls.hpp>
#include <kubecoro/apiserver/cluster_options.hpp>
#include <kubecoro/apiserver/tls.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::apiserver {

class server_engine;

/// Options of an embedded server. The defaults suit tests.
struct server_options
{
    /// A bearer token and its user.
    struct token_user
    {
        /// The bearer token.
        std::string token;
        /// The user that it stands for.
        user_info user;
        /// The token is answered with 401 from this time on. Empty: never.
        std::optional<wall_time> expires = {};
    };

    /// Options of the cluster state.
    cluster_options cluster = {};
    /// Tokens and the users that they stand for.
    std::vector<token_user> tokens = {};
    /// The first one that matches a request decides. Members of system:masters need none.
    std::vector<access_rule> rules = {};
    /** Maximum number of connections over all endpoints. At the maximum, the one that has waited longest for its client
        (for the handshake, a request or its rest), of the addresses with the most, is closed for the new one; when all
        are being served, the new one is closed. Similarly when the process runs out of file descriptors. */
    std::size_t max_connections = 1000;
    /// Maximum bytes of request bodies held at once, over all connections. A request beyond it is answered with 429.
    std::size_t max_buffered_bytes = 64u << 20;
    /** Plays the rest of a cluster with this number of nodes, which are created if the cluster has none; 0: pods stay pending until
        there is one. Empty: nothing acts on workloads.

        A live server schedules pods, starts them and ends those of jobs, and does the work of the controllers of Deployments,
        ReplicaSets, StatefulSets, DaemonSets and Jobs. No container runs. A pod with the annotation
        `live.kubecoro.dev/outcome: fail` does not become ready, or fails if it does not restart. */
    std::optional<std::size_t> live_nodes = {};
    /// The clock; empty = real_clock().
    std::shared_ptr<time_source> time = real_clock();
    /// Logs every request at level info: method, target, status, user, milliseconds.
    logger log = {};
};

/// Address, TLS identity and timeouts of a listening socket.
struct listener_options
{
    /// An IP address. Any address but loopback exposes the server to the network.
    std::string address = "127.0.0.1";
    /// 0: any free port.
    std::uint16_t port = 0;
    /// Empty: plain HTTP, for tests over loopback only, since tokens travel unencrypted.
    std::optional<tls_identity> tls = {};
    /// Limits each of: the TLS handshake, the head of a request from its first byte, and the body.
    saturating_duration request_timeout = std::chrono::seconds{30};
    /// A connection without a request is closed after this.
    saturating_duration idle_timeout = std::chrono::seconds{90};
    /// A client that reads nothing of its response or watch for this long is disconnected.
    saturating_duration write_timeout = std::chrono::seconds{30};
};

/// Counts since the server was constructed.
struct server_counters
{
    /// Requests that were received.
    std::uint64_t requests = 0;
    /// Accepted lists and watches; both also count as requests. Each page counts as a list.
    std::uint64_t lists = 0;
    /// Watches that were opened.
    std::uint64_t watches = 0;
    /// Watches that are open.
    std::uint64_t open_watches = 0;
    /// Connections accepted over sockets, and those currently open.
    std::uint64_t connections = 0;
    /// Connections that are open.
    std::uint64_t open_connections = 0;
};

/** An API server inside this process, reachable over sockets or through an in_process_transport.

    Thread safe. The state is confined to one strand of the executor; awaitables may be awaited from any executor and
    resume on it. stop() must have completed before the server is destroyed if anything was listened to, watched or
    changed (removing pods after their grace period also needs a coroutine of the server).
    @par Cancellation  terminal, for every awaitable: cond::cancelled. Changes already made to the state stay. */
class embedded_server
{
public:
    /// An address on which the server listens.
    struct endpoint
    {
        /// The IP address.
        std::string address;
        /// The port that was bound, never 0.
        std::uint16_t port = 0;
        /// Whether it serves HTTPS.
        bool tls = false;
        /// "https://127.0.0.1:6443".
        [[nodiscard]] std::string url() const;
    };

    /// @param executor  Runs the server; may have any number of threads.
    explicit embedded_server(boost::asio::any_io_executor executor, server_options options = {});
    ~embedded_server();
    embedded_server(const embedded_server&) = delete;
    embedded_server& operator=(const embedded_server&) = delete;

    /** Opens a listening socket and serves it until stop(). May be called several times.
        @par Errors        misconfigured (address, port in use, TLS identity; the message names them), cancelled when
                           the server is stopping. */
    [[nodiscard]] boost::asio::awaitable<result<endpoint>> listen(listener_options options);

    /// Asks the admission webhooks of the cluster's configurations and the conversion webhooks of its definitions, which are
    /// otherwise only stored. Call it before the first request.
    void call_webhooks(detail::find_webhook find);

    /** Stops the server: refuses new connections and requests, ends watches cleanly, answers requests in progress and
        closes idle connections. Completes when all of these have ended, after about three seconds at most.
        Idempotent: a second call completes a cancelled one. Must not be awaited from a coroutine of the server. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /** Performs one request as a member of system:masters, without sockets. Used by tests and the demo.
        @param target  Path and query. @param body  JSON; empty for none. A PATCH is a merge patch.
        @return the body of the response. Errors: the failure that the Status describes; invalid for a watch. */
    [[nodiscard]] boost::asio::awaitable<result<std::string>> execute(std::string method, std::string target,
                                                                      std::string body = {});

    /// Creates or replaces the objects of manifests (YAML or JSON), those that others need first. @return the number of objects written.
    [[nodiscard]] boost::asio::awaitable<result<std::size_t>> load(std::string text, std::string name);

    /// Drops the history: watches and continued lists at earlier versions are answered with 410.
    [[nodiscard]] boost::asio::awaitable<result<>> compact();

    /// Returns the cluster's state without its history, as text for restore().
    [[nodiscard]] boost::asio::awaitable<result<std::string>> snapshot();
    /// Replaces the whole state. Only before the server has clients. Errors: invalid, naming the line.
    [[nodiscard]] boost::asio::awaitable<result<>> restore(std::string snapshot);

    /// Complete JSON of every object of a resource ("pods", "deployments.apps") in list order.
    [[nodiscard]] boost::asio::awaitable<result<std::vector<std::string>>> objects(std::string resource);
    /// The newest resource version assigned.
    [[nodiscard]] boost::asio::awaitable<result<std::uint64_t>> resource_version();

    /** Appends a text to the log of a container, which a cluster's kubelet would do. Each line has the present time.
        The log belongs to this pod, not to its name. @par Errors  not_found, invalid (an unknown container). */
    [[nodiscard]] boost::asio::awaitable<result<>> append_log(container_address container, std::string text);
    /// The container has ended: streams that follow its log end after what was appended. Errors: as append_log().
    [[nodiscard]] boost::asio::awaitable<result<>> end_log(container_address container);
    /// The container starts again: its log becomes the previous one, and an empty log begins. Errors: as append_log().
    [[nodiscard]] boost::asio::awaitable<result<>> restart_log(container_address container);

    /// Accepts the token from now on.
    [[nodiscard]] boost::asio::awaitable<result<>> add_token(server_options::token_user user);
    /// Refuses the token from now on.
    [[nodiscard]] boost::asio::awaitable<result<>> remove_token(std::string token);
    /// Replaces all rules.
    [[nodiscard]] boost::asio::awaitable<result<>> set_rules(std::vector<access_rule> rules);

    /** Breaks off every connection, like a network failure: resets the sockets, and fails the requests and watches of
        in-process transports. New connections are accepted. */
    void cut_connections();

    /// While true, new connections are closed at once and in-process requests fail with cond::unreachable.
    void refuse_connections(bool refuse);

    /// A picture of the present state. Any thread.
    [[nodiscard]] server_counters counters() const;

private:
    friend class in_process_transport;
    class sockets;
    [[nodiscard]] boost::asio::awaitable<result<>> stop_in_order();
    std::shared_ptr<server_engine> engine_;
    std::unique_ptr<sockets> sockets_;
};

} // namespace kubecoro::apiserver
