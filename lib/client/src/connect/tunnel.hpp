#pragma once
// Holds the conversation of a tunnel_core over a stream.

#include "connect/tunnel_core.hpp"
#include "http/byte_stream.hpp"

namespace kubecoro::detail {

/** Completes when the stream leads to the server.

    Has no time limit of its own. Errors: those of the core and of the stream; unreachable when the proxy closes the
    connection. The stream is of no use then. Stream and core outlive the operation. */
[[nodiscard]] boost::asio::awaitable<result<>> open_tunnel(byte_stream& through, tunnel_core& core,
                                                           std::string proxy_name);

} // namespace kubecoro::detail
