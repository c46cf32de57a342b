#include "byte_server.hpp"

#include "silence.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace kubecoro::test {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

using record = std::function<void(std::string)>;

template<class Stream>
class stream_peer final : public peer
{
public:
    stream_peer(Stream s, record r) : stream_(std::move(s)), record_(std::move(r)) {}

    Stream& stream() noexcept { return stream_; }

    asio::awaitable<std::string> request() override
    {
        std::size_t end;
        while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) co_await more();
        std::size_t length = end + 4;
        if (const auto at = buffer_.find("Content-Length: "); at < end) length += std::stoul(buffer_.substr(at + 16));
        while (buffer_.size() < length) co_await more();
        auto whole = buffer_.substr(0, length);
        buffer_.erase(0, length);
        record_(whole);
        co_return whole;
    }
    asio::awaitable<void> send(std::string bytes) override
    {
        co_await asio::async_write(stream_, asio::buffer(bytes), asio::use_awaitable);
    }
    asio::awaitable<void> finish() override
    {
        if constexpr (!std::is_same_v<Stream, tcp::socket>) co_await stream_.async_shutdown(asio::use_awaitable);
        stream_.lowest_layer().shutdown(tcp::socket::shutdown_send);
    }
    void close() override { stream_.lowest_layer().close(); }
    void reset() override
    {
        stream_.lowest_layer().set_option(asio::socket_base::linger(true, 0));
        stream_.lowest_layer().close();
    }
    void go_deaf() override { drop_whatever_arrives(stream_.lowest_layer().native_handle()); }
    asio::awaitable<void> until_gone() override
    {
        char byte[256];
        for (;;) co_await stream_.async_read_some(asio::buffer(byte), asio::use_awaitable);
    }

private:
    asio::awaitable<void> more()
    {
        char bytes[4096];
        const auto n = co_await stream_.async_read_some(asio::buffer(bytes), asio::use_awaitable);
        buffer_.append(bytes, n);
    }

    Stream stream_;
    record record_;
    std::string buffer_;
};

/// Empty without a certificate.
std::string common_name(const X509* certificate)
{
    char text[100] = "";
    if (certificate != nullptr)
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text, sizeof text);
    return text;
}

asio::awaitable<void> answer_everything(peer& p)
{
    for (;;) {
        auto asked = co_await p.request();
        co_await p.send(answer_text(200, pod_text("default")));
    }
}

} // namespace

struct byte_server::state
{
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
    std::shared_ptr<asio::ssl::context> tls;
    std::function<void()> before_handshake;
    std::vector<std::string> clients;
    bool handshake = true;
    mutable std::mutex mutex;
    mutable std::condition_variable changed;
    std::deque<peer_script> scripts;
    std::vector<std::string> requests;
    int accepted = 0;
    int resumed = 0;
    int ended = 0;
    std::thread thread;

    void use(const server_tls& t)
    {
        auto made = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
        made->use_certificate_chain(asio::buffer(t.self.certificate));
        made->use_private_key(asio::buffer(t.self.key), asio::ssl::context::pem);
        SSL_CTX* const native = made->native_handle();
        if (t.version != 0) SSL_CTX_set_max_proto_version(native, t.version);
        if (!t.keeps_sessions) {
            SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
            SSL_CTX_set_options(native, SSL_OP_NO_TICKET);
            SSL_CTX_set_num_tickets(native, 0);
        }
        if (!t.client_authority.empty()) {
            constexpr unsigned char name[] = "test";
            SSL_CTX_set_session_id_context(native, name, sizeof name);
            made->add_certificate_authority(asio::buffer(t.client_authority));
            made->set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
        }
        std::lock_guard lock(mutex);
        tls = std::move(made);
    }

    asio::awaitable<void> accept()
    {
        for (;;) {
            auto socket = co_await acceptor.async_accept(asio::use_awaitable);
            peer_script script = answer_everything;
            {
                std::lock_guard lock(mutex);
                ++accepted;
                if (!scripts.empty()) {
                    script = std::move(scripts.front());
                    scripts.pop_front();
                }
            }
            // These coroutines end with the context, as the server does.
            asio::co_spawn(context, serve(std::move(socket), std::move(script)), [this](std::exception_ptr) {
                std::lock_guard lock(mutex);
                ++ended;
                changed.notify_all();
            });
        }
    }

    asio::awaitable<void> serve(tcp::socket socket, peer_script script)
    {
        const record keep = [this](std::string text) {
            std::lock_guard lock(mutex);
            requests.push_back(std::move(text));
        };
        std::shared_ptr<asio::ssl::context> secrets;
        std::function<void()> call;
        {
            std::lock_guard lock(mutex);
            secrets = tls;
            call = std::exchange(before_handshake, nullptr);
        }
        if (call) call();
        if (!secrets || !handshake) {
            stream_peer<tcp::socket> p(std::move(socket), keep);
            co_await script(p);
            co_return;
        }
        stream_peer<asio::ssl::stream<tcp::socket>> p(asio::ssl::stream<tcp::socket>(std::move(socket), *secrets),
                                                      keep);
        co_await p.stream().async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
        {
            std::lock_guard lock(mutex);
            clients.push_back(common_name(SSL_get0_peer_certificate(p.stream().native_handle())));
            if (SSL_session_reused(p.stream().native_handle()) == 1) ++resumed;
        }
        co_await script(p);
    }
};

byte_server::byte_server(std::optional<server_tls> tls, bool handshake) : state_(std::make_unique<state>())
{
    state_->handshake = handshake;
    if (tls) state_->use(*tls);
    asio::co_spawn(state_->context, state_->accept(), asio::detached);
    state_->thread = std::thread([s = state_.get()] { s->context.run(); });
}

byte_server::~byte_server()
{
    state_->context.stop();
    state_->thread.join();
}

void byte_server::next(peer_script script)
{
    std::lock_guard lock(state_->mutex);
    state_->scripts.push_back(std::move(script));
}

void byte_server::use(const server_tls& tls) { state_->use(tls); }

void byte_server::before_handshake(std::function<void()> call)
{
    std::lock_guard lock(state_->mutex);
    state_->before_handshake = std::move(call);
}

std::vector<std::string> byte_server::clients() const
{
    std::lock_guard lock(state_->mutex);
    return state_->clients;
}

unsigned short byte_server::port() const { return state_->acceptor.local_endpoint().port(); }

std::string byte_server::url() const
{
    return (state_->tls ? "https" : "http") + std::string("://127.0.0.1:") + std::to_string(port());
}

int byte_server::accepted() const
{
    std::lock_guard lock(state_->mutex);
    return state_->accepted;
}

int byte_server::resumed() const
{
    std::lock_guard lock(state_->mutex);
    return state_->resumed;
}

void byte_server::wait_for_ended(int scripts) const
{
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->ended >= scripts; });
}

std::vector<std::string> byte_server::requests() const
{
    std::lock_guard lock(state_->mutex);
    return state_->requests;
}

std::string answer_text(int status, const std::string& body, const std::string& headers)
{
    return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string pod_text(const std::string& name)
{
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name + R"("}})";
}

} // namespace kubecoro::test
