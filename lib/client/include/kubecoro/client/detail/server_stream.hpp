#pragma once
// The server's end of a connection, with or without TLS, reduced to the operations that a server needs, so that Asio's templates
// are instantiated in one file, and its certificate,
// from files that are replaced. For the library itself.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp> // rule aside: only the .cpp files of servers include this header

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Common name and organizations of a verified client certificate.
struct peer_certificate
{
    /// The user's name.
    std::string common_name;
    /// The user's groups.
    std::vector<std::string> organizations;
};

/** Reads and writes the bytes of one connection. Confined to the socket's strand; at most one read and one write at a
    time.

    After any failure the connection is unusable. close() fails the pending operations. */
class server_stream
{
public:
    virtual ~server_stream() = default;
    /// The first operation. Waits for the client without a time limit of its own.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> handshake() = 0;
    /// Before the first operation: completes when the client has sent something, or has closed its side.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> wait_for_input();
    /// Reads at least one byte; returns 0 at the end of the stream, clean or truncated.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) = 0;
    /// Texts that follow each other, as do head, body and end of an answer.
    using texts = std::array<std::string_view, 3>;
    /// Writes all bytes, together.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> write(texts bytes) = 0;
    /// Shuts down the sending side without waiting for the peer. The caller must call close() afterwards.
    [[nodiscard]] virtual boost::asio::awaitable<void> shutdown() = 0;
    /// Closes the socket.
    virtual void close() noexcept = 0;
    /// Closes with a reset, as after a network failure.
    virtual void cut() noexcept = 0;
    /// The client's certificate, if it has shown one.
    [[nodiscard]] virtual std::optional<peer_certificate> peer() const = 0;
};

/// PEM texts of a server.
struct server_identity
{
    /// The certificate, followed by those of intermediate authorities.
    std::string certificate;
    /// Its private key.
    std::string key;
    /// Authorities of client certificates. Empty = clients are not asked for one.
    std::string client_authorities = {};
};

/// TLS settings of new connections: version 1.2 or later, and a certificate.
class server_tls;
/// Errors: misconfigured, with OpenSSL's reason.
[[nodiscard]] result<std::shared_ptr<server_tls>> make_server_tls(const server_identity& identity);

/// @param tls  Null for plain HTTP.
[[nodiscard]] std::unique_ptr<server_stream> make_server_stream(boost::asio::ip::tcp::socket socket,
                                                                std::shared_ptr<server_tls> tls);

/** TLS settings of new connections from two PEM files, which are looked at when connections arrive, once in ten seconds.

    They are read on a thread of their own, since a network file system may hang, and used from the next connection on.
    The last certificate and key that belong together stay in use until there are others. Strand-confined. */
class server_certificate
{
public:
    /// The files, and the surroundings.
    struct settings
    {
        /// The certificate, followed by those of intermediate authorities.
        std::string certificate_file = {};
        /// Its private key.
        std::string key_file = {};
        /// Reads the files.
        environment machine = {};
        /// How long the first read of a file may take.
        std::chrono::steady_clock::duration patience = std::chrono::seconds{5};
        /// Never null.
        std::shared_ptr<time_source> time = {};
        /// Null = none.
        std::shared_ptr<metrics> numbers = {};
        /// The names of its metrics. Set if there are `numbers`.
        std::string_view reloads = {};
        std::string_view expiry = {};
        /// Receives a line for each change and each problem.
        logger log = {};
    };

    /// Reads the files for the first time, within `patience` each. Errors: misconfigured, naming the file.
    [[nodiscard]] static result<std::shared_ptr<server_certificate>> make(settings s);
    /// Waits for nothing: a read in progress outlives it.
    ~server_certificate();
    server_certificate(const server_certificate&) = delete;
    server_certificate& operator=(const server_certificate&) = delete;

    /// The settings of a connection that arrives now. Never null.
    [[nodiscard]] std::shared_ptr<server_tls> current();

private:
    struct state;
    explicit server_certificate(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::detail
