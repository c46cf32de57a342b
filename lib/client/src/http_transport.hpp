#pragma once
// HTTP/1.1 with keep-alive over whatever a connector opens.

#include "byte_stream.hpp"
#include "connection_pool_core.hpp"
#include "http_parser.hpp"

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
    pool_limits pool = {};
    http_limits http = {};
};

/** Idle connections are reused, newest first. A GET whose connection breaks before the first byte of an answer is sent
    once more on a new connection: a server may close an idle connection in the moment it is picked. */
[[nodiscard]] std::shared_ptr<transport> make_http_transport(std::shared_ptr<connector> to, std::shared_ptr<clock> time,
                                                             http_options options);

} // namespace kubecoro::detail
