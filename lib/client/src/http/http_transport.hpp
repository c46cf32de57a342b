#pragma once
// HTTP/1.1 with keep-alive over whatever a connector opens.

#include "connect/byte_stream.hpp"
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
    /// Path before every target.
    std::string prefix = {};
    /// The connections speak TLS. For messages.
    bool tls = true;
    /// How long a peer may acknowledge nothing: on a connection that has just been opened or carries an answer, and on
    /// one that was idle and has not proved since that the other end is still there.
    duration patience = std::chrono::seconds{60};
    duration patience_after_idling = std::chrono::seconds{5};
    pool_limits pool = {};
    http_limits http = {};
};

/** Idle connections are reused, newest first. A request whose connection breaks before the first byte of an answer may be
    sent once more, on a new connection: see may_repeat. */
[[nodiscard]] std::shared_ptr<transport> make_http_transport(std::shared_ptr<connector> to,
                                                             std::shared_ptr<time_source> time, http_options options);

} // namespace kubecoro::detail
