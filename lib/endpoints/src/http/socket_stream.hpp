// A socket with or without TLS, reduced to what a connection needs, so that Asio's templates are instantiated in one file.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <string_view>

namespace kubecoro::detail {

/** Reads and writes the bytes of one connection. Confined to the server's strand; one operation at a time.

    After a failure the connection is unusable. close() fails the operation in progress. */
class socket_stream
{
public:
    virtual ~socket_stream() = default;
    [[nodiscard]] virtual boost::asio::awaitable<result<>> handshake() = 0;
    /// Reads at least one byte; 0 at the end of the stream, clean or truncated.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) = 0;
    /// Writes all bytes.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> write(std::string_view bytes) = 0;
    /// Ends the sending side, without waiting for the peer.
    [[nodiscard]] virtual boost::asio::awaitable<void> shutdown() = 0;
    virtual void close() noexcept = 0;
};

[[nodiscard]] std::unique_ptr<socket_stream> make_plain_stream(boost::asio::ip::tcp::socket socket);

} // namespace kubecoro::detail
