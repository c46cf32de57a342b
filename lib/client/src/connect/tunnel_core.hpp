#pragma once
// The conversation of a client and a proxy before the connection belongs to the server. Sans-io.

#include "address/proxy.hpp"

#include <kubecoro/base/result.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The server that the proxy is to connect to.
struct tunnel_target
{
    /// Name or address, without brackets.
    std::string host = {};
    std::string port = {};
};

/** One conversation with a proxy. Send begin(), then what each feed() returns, until `open`.

    Input may be split anywhere. The server speaks only after the client, so a byte after the proxy's last one is
    a failure. Failures hold the proxy's words, bounded and printable, and never the login. */
class tunnel_core
{
public:
    struct step
    {
        /// Bytes for the proxy; may be empty.
        std::string send = {};
        /// The connection leads to the server.
        bool open = false;
    };

    virtual ~tunnel_core() = default;
    [[nodiscard]] virtual std::string begin() = 0;
    /** Takes bytes of the proxy.

        @par Errors  unreachable if the proxy cannot connect, unauthorized if it refuses the login or asks for one,
                     corrupt if it does not speak the protocol, misconfigured if the protocol cannot carry the
                     server's name. Final. */
    [[nodiscard]] virtual result<step> feed(std::string_view bytes) = 0;
};

/// The conversation in HTTP: CONNECT (RFC 9110, 9.3.6) with basic authentication.
[[nodiscard]] std::unique_ptr<tunnel_core> make_http_tunnel(const proxy_address& proxy, const tunnel_target& server);

/// The conversation in SOCKS5 (RFC 1928), with user name and password (RFC 1929) or without. Names are sent unresolved.
[[nodiscard]] std::unique_ptr<tunnel_core> make_socks5_tunnel(const proxy_address& proxy, const tunnel_target& server);

} // namespace kubecoro::detail
