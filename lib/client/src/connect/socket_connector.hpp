#pragma once
// Opens TCP connections, with TLS where the server uses it.

#include "config/server_address.hpp"
#include "connect/byte_stream.hpp"
#include "connect/name_resolver.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/context_bound.hpp>

#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace kubecoro::detail {

struct socket_options
{
    kept_executor executor = {};
    std::shared_ptr<time_source> time = {};
    server_address address = {};
    /// Null = a resolver of its own.
    std::shared_ptr<name_resolver> names = {};
    duration connect_timeout = {};
    duration handshake_timeout = {};
    /// Null for plain TCP.
    std::shared_ptr<boost::asio::ssl::context> tls = {};
    /// Name that the certificate must contain.
    std::string server_name = {};
};

/// For names with several addresses see happy_eyeballs_core; the address that worked is tried first the next time.
[[nodiscard]] std::shared_ptr<connector> make_socket_connector(socket_options options);

} // namespace kubecoro::detail
