#pragma once

#include "http/byte_stream.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <string>

namespace kubecoro::detail {

class tls_generation;

/// A plain TCP stream. @param peer  For messages.
[[nodiscard]] std::unique_ptr<byte_stream> make_tcp_stream(boost::asio::ip::tcp::socket socket,
                                                           std::shared_ptr<time_source> time, std::string peer);

/// A TLS stream inside another stream; completes after the handshake. Errors: unreachable, misconfigured, cancelled.
[[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<byte_stream>>>
make_tls_stream(std::unique_ptr<byte_stream> under, std::shared_ptr<tls_generation> generation, std::string server_name,
                std::string peer);

/// See byte_stream::set_patience.
void set_patience(boost::asio::ip::tcp::socket& socket, duration unacknowledged) noexcept;

/// True when there is nothing to read and the socket is not closed.
[[nodiscard]] bool is_quiet(boost::asio::ip::tcp::socket& socket) noexcept;

} // namespace kubecoro::detail
