#include <kubecoro/client/detail/server_stream.hpp>

#include "connect/tls_engine.hpp"
#include "files/background_call.hpp"
#include "files/tls_files_core.hpp"
#include "files/tls_pem.hpp"

#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
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

template<class Buffers>
asio::awaitable<result<>> write_to(tcp_socket& socket, Buffers bytes)
{
    const auto [error, n] = co_await asio::async_write(socket, bytes, as_value);
    if (error) co_return failure{error, "write to the client"};
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
        const auto [error, n] = co_await socket_.async_read_some(asio::buffer(data, size), as_value);
        if (error == asio::error::eof) co_return std::size_t{0};
        if (error) co_return failure{error, "read from the client"};
        co_return n;
    }
    asio::awaitable<result<>> write(texts bytes) override
    {
        std::array<asio::const_buffer, std::tuple_size_v<texts>> buffers;
        std::ranges::transform(bytes, buffers.begin(),
                               [](std::string_view t) { return asio::buffer(t.data(), t.size()); });
        return write_to(socket_, buffers);
    }
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
        : tls_(std::move(tls)),
          engine_(tls_->context.native_handle(), tls_engine::side::server),
          socket_(std::move(socket))
    {
        boost::system::error_code error;
        socket_.non_blocking(true, error);
        if (error) close();
    }

    asio::awaitable<result<>> handshake() override
    {
        for (;;) {
            const auto step = engine_.handshake();
            // A step that has failed still has to send its alert.
            const auto sent = co_await flush();
            if (step == tls_engine::step::failed) co_return failure{engine_.error(), handshaking};
            if (!sent || step == tls_engine::step::done) co_return sent;
            KUBECORO_TRY(const auto n, co_await receive());
            if (n == 0)
                co_return failure{asio::ssl::error::make_error_code(asio::ssl::error::stream_truncated), handshaking};
        }
    }
    asio::awaitable<result<>> wait_for_input() override { return input_of(socket_); }
    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        for (;;) {
            std::size_t n = 0;
            const auto step = engine_.is_quiet() ? tls_engine::step::input : engine_.read({data, size}, n);
            // An alert, or the answer to new keys. Decrypted bytes count, whether or not the client still receives.
            const auto sent = engine_.output().empty() ? result<>() : co_await flush();
            if (n != 0 || step == tls_engine::step::closed) co_return n;
            if (step == tls_engine::step::failed) co_return failure{engine_.error(), "read from the client"};
            if (!sent) co_return sent.error();
            KUBECORO_TRY(const auto got, co_await receive());
            if (got == 0) co_return got;
        }
    }
    asio::awaitable<result<>> write(texts bytes) override
    {
        for (auto left : bytes)
            while (!left.empty()) {
                const auto record = left.substr(0, longest_record);
                if (engine_.write(record) != tls_engine::step::done)
                    co_return failure{cond::unreachable, "write to the client: it has ended TLS"};
                left.remove_prefix(record.size());
                if (engine_.output().size() >= most_encrypted) KUBECORO_TRY(co_await flush());
            }
        co_return co_await flush();
    }
    asio::awaitable<void> shutdown() override
    {
        engine_.shut_down();
        [[maybe_unused]] const auto outcome = co_await flush();
    }
    void close() noexcept override { close_socket(socket_, false); }
    void cut() noexcept override { close_socket(socket_, true); }

    std::optional<peer_certificate> peer() const override
    {
        const SSL* const ssl = engine_.native_handle();
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
    static constexpr const char* handshaking = "TLS handshake with the client";
    static constexpr std::size_t longest_record = 16 * 1024;
    /// Bytes encrypted ahead of what the client receives.
    static constexpr std::size_t most_encrypted = 2 * longest_record;

    /// The output of the engine is being sent.
    class turn
    {
    public:
        explicit turn(tls_stream& of) noexcept : of_(of) { of_.sends_ = true; }
        ~turn()
        {
            of_.sends_ = false;
            of_.sent_.notify();
        }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

    private:
        tls_stream& of_;
    };

    /// Sends what the engine has to send. The reader too may have something, while an answer is sent.
    asio::awaitable<result<>> flush()
    {
        while (sends_) KUBECORO_TRY(co_await sent_.wait());
        if (engine_.output().empty()) co_return result<>{};
        const turn own(*this);
        const auto bytes = engine_.take_output();
        co_return co_await write_to(socket_, asio::buffer(bytes));
    }

    /// Receives bytes for the engine. @return 0 at the end.
    asio::awaitable<result<std::size_t>> receive()
    {
        if (engine_.is_quiet()) {
            engine_.rest(); // an idle connection costs no buffers
            KUBECORO_TRY(co_await input_of(socket_));
        }
        for (;;) {
            const auto room = engine_.room(0);
            boost::system::error_code error;
            const auto n = socket_.read_some(asio::buffer(room.data(), room.size()), error);
            engine_.received(n);
            if (error == asio::error::eof) co_return std::size_t{0};
            if (!error) co_return n;
            if (error != asio::error::would_block) co_return failure{error, "read from the client"};
            KUBECORO_TRY(co_await input_of(socket_));
        }
    }

    std::shared_ptr<server_tls> tls_;
    tls_engine engine_;
    tcp_socket socket_;
    bool sends_ = false;
    wake_signal sent_;
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
