#pragma once
// Opens TCP connections, directly or through a proxy, with TLS where the server uses it. Executes the plan of happy_eyeballs_core.

#include "address/proxy.hpp"
#include "address/server_address.hpp"
#include "connect/happy_eyeballs_core.hpp"
#include "connect/name_resolver.hpp"
#include "connect/tls_source.hpp"
#include "connect/tunnel_core.hpp"
#include "http/byte_stream.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro::detail {

/// Connects to an address of the plan's order(), and keeps the connection. It must own what it uses: when the context
/// is destroyed it may outlive the race.
using dialer = std::function<boost::asio::awaitable<result<>>(std::size_t index)>;

/** Completes when one attempt has succeeded, with its index, or all have failed; by then the others have been
    cancelled and have ended.

    The caller's executor must run one handler at a time.
    @par Errors  those of the plan; cancelled. */
[[nodiscard]] boost::asio::awaitable<result<std::size_t>>
race_connections(std::shared_ptr<time_source> time, std::shared_ptr<happy_eyeballs_core> plan, dialer dial);

/// Counts and times the connections of a client. Durations are in seconds.
struct connection_meters
{
    /// Look-ups of a name, also shared and cached ones.
    std::shared_ptr<metrics::histogram> look_up;
    /// TCP connections, without the look-up; with a proxy, until it has answered.
    std::shared_ptr<metrics::histogram> connect;
    std::shared_ptr<metrics::histogram> tls_handshake;
    std::shared_ptr<metrics::counter> opened;
    std::shared_ptr<metrics::counter> failed;
    /// TLS connections by the origin of their keys.
    std::shared_ptr<metrics::counter> resumed;
    std::shared_ptr<metrics::counter> full;

    /// @param sink  Null = null_metrics().
    explicit connection_meters(std::shared_ptr<metrics> sink = {}, const std::string& host = {});
};

/// A proxy between client and server.
struct proxy_route
{
    proxy_address address = {};
    /// Null unless the proxy itself is reached over TLS.
    std::shared_ptr<tls_source> tls = {};
    /// Whether the proxy connects to the server; otherwise it is sent the requests themselves.
    bool tunnel = true;
};

struct socket_options
{
    kept_executor executor = {};
    std::shared_ptr<time_source> time = {};
    server_address address = {};
    /// Null = a resolver of its own.
    std::shared_ptr<name_resolver> names = {};
    /// Nothing = a direct connection. With a proxy only its name is resolved here.
    std::optional<proxy_route> proxy = {};
    /// TCP connection with name lookup, and the proxy's response.
    duration connect_timeout = {};
    duration handshake_timeout = {};
    connection_meters meters = connection_meters();
    /// Null for plain TCP.
    std::shared_ptr<tls_source> tls = {};
    /// Name that the certificate must contain.
    std::string server_name = {};
};

/// For names with several addresses see happy_eyeballs_core; the address that worked is tried first the next time.
[[nodiscard]] std::shared_ptr<connector> make_socket_connector(socket_options options);

/** Completes when the stream leads to the server.

    Has no time limit of its own. Errors: those of the core and of the stream; unreachable when the proxy closes the
    connection. The stream is of no use then. Stream and core outlive the operation. */
[[nodiscard]] boost::asio::awaitable<result<>> open_tunnel(byte_stream& through, tunnel_core& core,
                                                           std::string proxy_name);

/** How to reach the server: nothing = directly. Logs the choice of a proxy, without its login.

    @param with  Those for the server, without a plugin. For a proxy over TLS the files of the authorities are read, which may
    block.

    @par Errors  cond::misconfigured, see choose_proxy() and make_tls_context(). */
[[nodiscard]] result<std::optional<proxy_route>> find_proxy_route(const server_address& server,
                                                                  tls_source::settings with);

} // namespace kubecoro::detail
