#pragma once
// An HTTP/1.1 transport with keep-alive over the streams of a connector.

#include "http/byte_stream.hpp"
#include "http/connection_pool_core.hpp"
#include "http/http_parser.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/client/transport.hpp>

#include <memory>
#include <string>

namespace kubecoro::detail {

struct http_options
{
    /// Host header.
    std::string host = {};
    /// Path prefix of every target; for a proxy that is sent the requests, the server's URL.
    std::string prefix = {};
    /// Value of the header for that proxy; empty = none.
    std::string proxy_authorization = {};
    /// Whether the connections use TLS. For messages.
    bool tls = true;
    /// Maximum time without an acknowledgement from the peer: on a new connection or one that carries a response, and
    /// on one that was idle and has not yet proved that the peer still exists.
    duration patience = std::chrono::seconds{60};
    duration patience_after_idling = std::chrono::seconds{5};
    pool_limits pool = {};
    http_limits http = {};
};

/** Idle connections are reused, newest first. A request whose connection breaks before the first byte of a response
    may be sent once more, on a new connection: see may_repeat. */
[[nodiscard]] std::shared_ptr<transport> make_http_transport(std::shared_ptr<connector> to,
                                                             std::shared_ptr<time_source> time, http_options options);

} // namespace kubecoro::detail
