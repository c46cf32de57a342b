#pragma once
// Opens TCP connections, directly or through a proxy, with TLS where the server uses it.

#include "address/proxy.hpp"
#include "address/server_address.hpp"
#include "connect/name_resolver.hpp"
#include "http/byte_stream.hpp"
#include "observe/connection_meters.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/context_bound.hpp>

#include <memory>
#include <optional>
#include <string>

namespace kubecoro::detail {

class tls_source;

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

} // namespace kubecoro::detail
