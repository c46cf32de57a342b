#pragma once

#include <kubecoro/apiserver/access.hpp>
#include <kubecoro/apiserver/cluster_state_core.hpp>
#include <kubecoro/apiserver/request_handler.hpp>
#include <kubecoro/apiserver/tls.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::apiserver {

class server_engine;

/// A bearer token and whose it is.
struct token_user
{
    /// The bearer token.
    std::string token;
    /// The user that it stands for.
    user_info user;
    /// From then on the token is answered with 401. Empty: never.
    std::optional<wall_time> expires = {};
};

/// What an embedded server is made from. All of it has a default that suits a test.
struct server_options
{
    /// Options of the cluster state.
    cluster_options cluster = {};
    /// Options of the request handler.
    handler_options handler = {};
    /// Tokens and the users that they stand for.
    std::vector<token_user> tokens = {};
    /// See access_control. Members of system:masters may do everything without a rule.
    std::vector<access_rule> rules = {};
    /** Connections over all endpoints. Beyond it the one that has waited longest for its client (for the handshake, for
        a request, for the rest of one) is closed in favour of the new; when all are being served, the new one is. The same
        happens when the process runs out of file descriptors. */
    std::size_t max_connections = 1000;
    /// Bytes of request bodies held at once, over all connections. A request beyond it is answered with 429.
    std::size_t max_buffered_bytes = 64u << 20;
    /// The clock; empty = real_clock().
    std::shared_ptr<time_source> time = real_clock();
    /// At level info every request is logged: method, target, status, user, milliseconds.
    logger log = {};
    KUBECORO_NAME_FIRST;
};

/// Where and how to listen.
struct endpoint_options
{
    /// An IP address. Everything but loopback exposes the server to the network.
    std::string address = "127.0.0.1";
    /// 0: any free port.
    std::uint16_t port = 0;
    /// Without it the server speaks plain HTTP: for loopback tests only, tokens are readable on the way.
    std::optional<tls_identity> tls = {};
    /// A client gets this long for the TLS handshake, and again for the head of a request once begun, and for its body.
    duration request_timeout = std::chrono::seconds{30};
    /// A connection without a request is closed after this.
    duration idle_timeout = std::chrono::seconds{90};
    /// A client that takes none of its answer for this long is dropped; so is a watch that is not read.
    duration write_timeout = std::chrono::seconds{30};
    KUBECORO_NAME_FIRST;
};

/// An address on which the server listens.
struct bound_endpoint
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

/// What the server has done since it was made.
struct server_counters
{
    /// Requests that were received.
    std::uint64_t requests = 0;
    /// Lists and watches that were accepted; both are among the requests. A page counts as a list.
    std::uint64_t lists = 0;
    /// Watches that were opened.
    std::uint64_t watches = 0;
    /// Watches that are open.
    std::uint64_t open_watches = 0;
    /// Connections accepted over sockets, and those open now.
    std::uint64_t connections = 0;
    /// Connections that are open.
    std::uint64_t open_connections = 0;
};

/** An API server inside this process: the cluster's state behind sockets, or behind an in_process_transport.

    Thread safe. The state lives on one strand of the executor; awaitables may be awaited from any executor and come
    back to it. stop() must have completed before the server is destroyed if anything was listened to, watched, or
    changed: pods that end after their grace period need a coroutine of the server's, too.

    @par Cancellation  terminal, of every awaitable: cond::cancelled. What had reached the state by then stays done. */
class embedded_server
{
public:
    explicit embedded_server(boost::asio::any_io_executor executor, server_options options = {});
    ~embedded_server();
    embedded_server(const embedded_server&) = delete;
    embedded_server& operator=(const embedded_server&) = delete;

    /** Opens a listening socket and serves it until stop(). May be called several times.

        @par Errors        misconfigured (address, port in use, TLS identity; the message names them), cancelled when
                           the server is stopping. */
    [[nodiscard]] boost::asio::awaitable<result<bound_endpoint>> listen(endpoint_options options);

    /** Stops: no new connections or requests, watches end cleanly, requests in progress are answered, idle connections
        close; completes when all of it has ended (at most about three seconds).

        Idempotent: one that was cancelled is finished by the next. Must not be awaited by something the server runs. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /** Performs one request as a member of system:masters, without sockets: how tests and the demo change the state.

        @param target  Path and query. @param body  JSON; empty for none. A PATCH is a merge patch.
        @return the answer's body. Errors: what the Status of a refusal says; invalid for a watch. */
    [[nodiscard]] boost::asio::awaitable<result<std::string>> execute(std::string method, std::string target,
                                                                      std::string body = {});

    /// Loads manifests (YAML or JSON) as load_manifests and apply_manifests do. @return how many objects.
    [[nodiscard]] boost::asio::awaitable<result<std::size_t>> load(std::string text, std::string name);

    /// Forgets the history: watches and pages from before are answered with 410 from now on.
    [[nodiscard]] boost::asio::awaitable<result<>> compact();

    /** Everything the cluster holds, as text for restore(); the history is not part of it. */
    [[nodiscard]] boost::asio::awaitable<result<std::string>> snapshot();
    /// Replaces the whole state; to be done before anybody uses the server. Errors: invalid, naming the line.
    [[nodiscard]] boost::asio::awaitable<result<>> restore(std::string snapshot);

    /// Complete JSON of every object of a resource ("pods", "deployments.apps") in list order.
    [[nodiscard]] boost::asio::awaitable<result<std::vector<std::string>>> objects(std::string resource);
    /// The newest resource version given out.
    [[nodiscard]] boost::asio::awaitable<result<std::uint64_t>> resource_version();

    /// Accepts the token from now on.
    [[nodiscard]] boost::asio::awaitable<result<>> add_token(token_user user);
    /// Refuses the token from now on.
    [[nodiscard]] boost::asio::awaitable<result<>> remove_token(std::string token);
    /// Replaces all rules.
    [[nodiscard]] boost::asio::awaitable<result<>> set_rules(std::vector<access_rule> rules);

    /** Breaks every connection off at once, as a network does: sockets are reset, requests under way and watches of
        in-process transports fail. New connections are welcome. */
    void cut_connections();

    /// While refusing, new connections are closed at once and in-process requests fail as unreachable.
    void refuse_connections(bool refuse);

    /// A picture of the present state. Any thread.
    [[nodiscard]] server_counters counters() const;

private:
    friend class in_process_transport;
    class listeners;
    [[nodiscard]] boost::asio::awaitable<result<>> stop_in_order();
    std::shared_ptr<server_engine> engine_;
    std::unique_ptr<listeners> listeners_;
};

} // namespace kubecoro::apiserver
