// A socket with or without TLS, reduced to the operations a connection needs, so that Asio's templates are instantiated
// in one file.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

struct tls_identity;

/// Common name and organizations of a verified client certificate.
struct peer_certificate
{
    std::string common_name;
    std::vector<std::string> organizations;
};

/** Reads and writes the bytes of one connection. Confined to the socket's strand; at most one read and one write at a
    time.

    After any failure the connection is unusable. close() fails the pending operations. */
class byte_stream
{
public:
    virtual ~byte_stream() = default;
    [[nodiscard]] virtual boost::asio::awaitable<result<>> handshake() = 0;
    /// Reads at least one byte; returns 0 at the end of the stream, clean or truncated.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) = 0;
    /// Writes all bytes.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> write(std::string_view bytes) = 0;
    /// Shuts down the sending side without waiting for the peer. The caller must call close() afterwards.
    [[nodiscard]] virtual boost::asio::awaitable<void> shutdown() = 0;
    virtual void close() noexcept = 0;
    /// Closes with a reset, as after a network failure.
    virtual void cut() noexcept = 0;
    [[nodiscard]] virtual std::optional<peer_certificate> peer() const = 0;
};

/// The TLS context with the server's certificate. Shared by its connections.
class tls_context;
[[nodiscard]] result<std::shared_ptr<tls_context>> make_tls_context(const tls_identity& identity);

/// @param tls  Null for plain HTTP.
[[nodiscard]] std::unique_ptr<byte_stream> make_stream(boost::asio::ip::tcp::socket socket,
                                                       std::shared_ptr<tls_context> tls);

} // namespace kubecoro::apiserver
