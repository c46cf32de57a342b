#include <kubecoro/client/detail/server_stream.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace asio = boost::asio;

namespace kubecoro::detail {

class server_tls
{
public:
    asio::ssl::context context{asio::ssl::context::tls_server};
};

namespace {

constexpr auto as_value = asio::as_tuple(asio::use_awaitable);
using tcp_socket = asio::ip::tcp::socket;

void close_socket(tcp_socket& socket, bool reset) noexcept
{
    boost::system::error_code ignored;
    if (reset) socket.set_option(asio::socket_base::linger{true, 0}, ignored);
    socket.close(ignored);
}

asio::awaitable<result<>> input_of(tcp_socket& socket)
{
    const auto [error] = co_await socket.async_wait(tcp_socket::wait_read, as_value);
    if (error) co_return failure{error, "wait for the client"};
    co_return result<>{};
}

template<class Stream>
asio::awaitable<result<std::size_t>> read_from(Stream& stream, char* data, std::size_t size)
{
    const auto [error, n] = co_await stream.async_read_some(asio::buffer(data, size), as_value);
    if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) co_return std::size_t{0};
    if (error) co_return failure{error, "read from the client"};
    co_return n;
}

template<class Stream>
asio::awaitable<result<>> write_to(Stream& stream, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto [error, n] = co_await stream.async_write_some(asio::buffer(bytes.data(), bytes.size()), as_value);
        if (error) co_return failure{error, "write to the client"};
        bytes.remove_prefix(n);
    }
    co_return result<>{};
}

class plain_stream final : public server_stream
{
public:
    explicit plain_stream(tcp_socket socket) : socket_(std::move(socket)) {}

    asio::awaitable<result<>> handshake() override { co_return result<>{}; }
    asio::awaitable<result<>> wait_for_input() override { return input_of(socket_); }
    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        return read_from(socket_, data, size);
    }
    asio::awaitable<result<>> write(std::string_view bytes) override { return write_to(socket_, bytes); }
    asio::awaitable<void> shutdown() override
    {
        boost::system::error_code ignored;
        socket_.shutdown(asio::socket_base::shutdown_send, ignored);
        co_return;
    }
    void close() noexcept override { close_socket(socket_, false); }
    void cut() noexcept override { close_socket(socket_, true); }
    std::optional<peer_certificate> peer() const override { return std::nullopt; }

private:
    tcp_socket socket_;
};

std::string entry_text(X509_NAME_ENTRY* entry)
{
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
    if (size < 0) return {};
    std::string out(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
    return out;
}

class tls_stream final : public server_stream
{
public:
    tls_stream(tcp_socket socket, std::shared_ptr<server_tls> tls)
        : tls_(std::move(tls)), stream_(std::move(socket), tls_->context)
    {
    }

    asio::awaitable<result<>> handshake() override
    {
        const auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::server, as_value);
        if (error) co_return failure{error, "TLS handshake with the client"};
        co_return result<>{};
    }
    asio::awaitable<result<>> wait_for_input() override { return input_of(stream_.next_layer()); }
    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        return read_from(stream_, data, size);
    }
    asio::awaitable<result<>> write(std::string_view bytes) override { return write_to(stream_, bytes); }
    asio::awaitable<void> shutdown() override
    {
        // Sends close_notify without waiting for the peer's: OpenSSL treats it as received.
        SSL_set_shutdown(stream_.native_handle(), SSL_RECEIVED_SHUTDOWN);
        [[maybe_unused]] const auto outcome = co_await stream_.async_shutdown(as_value);
    }
    void close() noexcept override { close_socket(stream_.next_layer(), false); }
    void cut() noexcept override { close_socket(stream_.next_layer(), true); }

    std::optional<peer_certificate> peer() const override
    {
        SSL* ssl = const_cast<tls_stream*>(this)->stream_.native_handle();
        const X509* certificate = SSL_get0_peer_certificate(ssl);
        if (!certificate || SSL_get_verify_result(ssl) != X509_V_OK) return std::nullopt;
        peer_certificate out;
        X509_NAME* subject = X509_get_subject_name(certificate);
        for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
            X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
            const int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
            if (nid == NID_commonName) out.common_name = entry_text(entry);
            if (nid == NID_organizationName) out.organizations.push_back(entry_text(entry));
        }
        return out;
    }

private:
    std::shared_ptr<server_tls> tls_;
    asio::ssl::stream<tcp_socket> stream_;
};

} // namespace

asio::awaitable<result<>> server_stream::wait_for_input() { co_return result<>{}; }

result<std::shared_ptr<server_tls>> make_server_tls(const server_identity& identity)
{
    auto tls = std::make_shared<server_tls>();
    asio::ssl::context& context = tls->context;
    SSL_CTX* const native = context.native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    // As in Go: a client cannot have keys computed again and again on one connection.
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
    // An idle connection costs no buffers.
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
    boost::system::error_code error;
    context.use_certificate_chain(asio::buffer(identity.certificate), error);
    if (!error) context.use_private_key(asio::buffer(identity.key), asio::ssl::context::pem, error);
    // A client certificate is optional; one that does not verify against the authorities fails the handshake.
    if (!error && !identity.client_authorities.empty())
        context.add_certificate_authority(asio::buffer(identity.client_authorities), error);
    if (!error && !identity.client_authorities.empty()) context.set_verify_mode(asio::ssl::verify_peer, error);
    if (error) return failure{cond::misconfigured, "TLS identity of the server: " + error.message()};
    // Without a session id context OpenSSL refuses to resume sessions when client certificates are requested.
    constexpr unsigned char session_context[] = "kubecoro";
    SSL_CTX_set_session_id_context(native, session_context, sizeof session_context - 1);
    return tls;
}

std::unique_ptr<server_stream> make_server_stream(tcp_socket socket, std::shared_ptr<server_tls> tls)
{
    if (tls) return std::make_unique<tls_stream>(std::move(socket), std::move(tls));
    return std::make_unique<plain_stream>(std::move(socket));
}

} // namespace kubecoro::detail
