#include <kubecoro/client/detail/server_stream.hpp>

#include "files/background_call.hpp"
#include "files/tls_files_core.hpp"
#include "files/tls_pem.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <utility>

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

namespace {

constexpr std::size_t longest_file = 1024 * 1024;
constexpr std::chrono::seconds between_looks{10};

using reader = std::function<result<std::string>(const std::string& file)>;

tls_files read_pair(const reader& read, const std::string& certificate_file, const std::string& key_file)
{
    tls_files out;
    const auto take = [&](const std::string& file, std::optional<std::string>& into) {
        auto content = read(file);
        if (content)
            into = std::move(*content);
        else
            out.unreadable += (out.unreadable.empty() ? "" : "; ") + content.error().message();
    };
    try {
        take(certificate_file, out.certificate);
        take(key_file, out.key);
    } catch (const std::exception& e) {
        out.unreadable = e.what();
    }
    return out;
}

} // namespace

struct server_certificate::state
{
    explicit state(settings s) : with(std::move(s)), files({}, "certificate and key of the server")
    {
        if (!with.numbers) return;
        updated = with.numbers->make_counter(with.reloads, {{"outcome", "updated"}});
        unusable = with.numbers->make_counter(with.reloads, {{"outcome", "unusable"}});
        expiry = with.numbers->make_gauge(with.expiry, {});
    }

    /// Uses these texts. Nothing has changed if it fails or throws.
    result<> renew(const tls_texts& texts)
    {
        auto made = make_server_tls({texts.certificate, texts.key});
        if (!made) return made.error();
        const auto end = certificate_end(texts.certificate);
        tls = std::move(*made);
        if (end && expiry) expiry->set(static_cast<double>(*end));
        return {};
    }

    void report(const std::string& problem)
    {
        if (unusable) unusable->add();
        with.log.warning("TLS files cannot be used; continuing with those from before", {{"why", problem}});
    }

    void take(const tls_files& now)
    {
        auto next = files;
        const auto seen = next.on_read(now);
        for (const auto& problem : seen.problems) report(problem);
        if (const auto renewed = seen.new_pair ? renew(next.current()) : result<>(); !renewed)
            return report(renewed.error().message());
        files = std::move(next);
        if (!seen.new_pair) return;
        if (updated) updated->add();
        with.log.info("TLS files have changed: new connections use them", {{"certificate", with.certificate_file}});
    }

    void begin_reading(time_point now)
    {
        looked_at = now;
        auto begun = background_call<tls_files>::start(
            "read the TLS files", [machine = with.machine, certificate = with.certificate_file, key = with.key_file] {
                const auto read = [&machine](const std::string& file) { return machine.read_file(file, longest_file); };
                return read_pair(read, certificate, key);
            });
        if (begun)
            reading = std::move(*begun);
        else
            report(begun.error().message());
    }

    settings with;
    tls_files_core files;
    std::shared_ptr<server_tls> tls;
    /// Null: none runs.
    std::shared_ptr<background_call<tls_files>> reading;
    time_point looked_at;
    std::shared_ptr<metrics::counter> updated, unusable;
    std::shared_ptr<metrics::gauge> expiry;
};

server_certificate::server_certificate(std::unique_ptr<state> s) : state_(std::move(s)) {}
server_certificate::~server_certificate() = default;

result<std::shared_ptr<server_certificate>> server_certificate::make(settings s)
{
    if (s.certificate_file.empty() || s.key_file.empty())
        return failure{cond::misconfigured, "TLS of a server needs two files: certificate and key"};
    auto made = std::make_unique<state>(std::move(s));
    const auto bounded = [&with = made->with](const std::string& file) {
        return bounded_read(with.machine, file, longest_file, with.patience);
    };
    const auto first = read_pair(bounded, made->with.certificate_file, made->with.key_file);
    if (!first.unreadable.empty()) return failure{cond::misconfigured, first.unreadable};
    const auto seen = made->files.on_read(first);
    if (!seen.problems.empty())
        return failure{cond::misconfigured,
                       seen.problems.front() + " (" + made->with.certificate_file + ", " + made->with.key_file + ")"};
    if (const auto usable = made->renew(made->files.current()); !usable) return usable.error();
    made->looked_at = made->with.time->now();
    return std::shared_ptr<server_certificate>(new server_certificate(std::move(made)));
}

std::shared_ptr<server_tls> server_certificate::current()
{
    state& s = *state_;
    if (const auto found = s.reading ? s.reading->outcome() : std::nullopt) {
        s.reading.reset();
        s.take(*found);
    }
    const auto now = s.with.time->now();
    if (!s.reading && now - s.looked_at >= between_looks) s.begin_reading(now);
    return s.tls;
}

} // namespace kubecoro::detail
