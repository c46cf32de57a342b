// A socket with or without TLS, reduced to the five operations a connection needs, so that Asio's templates are
// instantiated in one file.
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

/** Bytes to and from one client. Used from the socket's executor (a strand) only; one read and one write at a time.

    Every failure means that the connection is of no further use. close() makes operations in flight fail. */
class byte_stream
{
public:
    virtual ~byte_stream() = default;
    [[nodiscard]] virtual boost::asio::awaitable<result<>> handshake() = 0;
    /// At least one byte, or 0 at the end of the stream, clean or not.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) = 0;
    /// All of it.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> write(std::string_view bytes) = 0;
    /// Says goodbye and does not wait for the peer's; what was being read ends. The caller sees to it that close()
    /// is called in time.
    [[nodiscard]] virtual boost::asio::awaitable<void> shutdown() = 0;
    virtual void close() noexcept = 0;
    /// close() with a reset, as if the network had failed.
    virtual void cut() noexcept = 0;
    [[nodiscard]] virtual std::optional<peer_certificate> peer() const = 0;
};

/// The server's certificate, ready for use. Shared by its connections.
class tls_context;
[[nodiscard]] result<std::shared_ptr<tls_context>> make_tls_context(const tls_identity& identity);

/// @param tls  Null for plain HTTP.
[[nodiscard]] std::unique_ptr<byte_stream> make_stream(boost::asio::ip::tcp::socket socket,
                                                       std::shared_ptr<tls_context> tls);

} // namespace kubecoro::apiserver
