#include "proxy_server.hpp"

#include <kubecoro/api/bytes.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <mutex>
#include <stdexcept>
#include <thread>

namespace kubecoro::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::string_literals;

namespace {

template<class Stream>
asio::awaitable<std::string> exactly(Stream& from, std::size_t n)
{
    std::string bytes(n, '\0');
    co_await asio::async_read(from, asio::buffer(bytes), asio::use_awaitable);
    co_return bytes;
}

/// @param bytes  Outlives the operation.
template<class Stream>
asio::awaitable<void> send(Stream& to, const std::string& bytes)
{
    co_await asio::async_write(to, asio::buffer(bytes), asio::use_awaitable);
}

/// Byte by byte: what follows the head belongs to the server.
template<class Stream>
asio::awaitable<std::string> head(Stream& from)
{
    std::string text;
    while (!text.ends_with("\r\n\r\n")) {
        const auto next = co_await exactly(from, 1);
        text += next;
    }
    co_return text;
}

template<class From, class To>
asio::awaitable<void> copy(From& from, To& to)
{
    char bytes[4096];
    try {
        for (;;) {
            const auto n = co_await from.async_read_some(asio::buffer(bytes), asio::use_awaitable);
            co_await asio::async_write(to, asio::buffer(bytes, n), asio::use_awaitable);
        }
    } catch (const boost::system::system_error&) {
        // One side has ended: so does the other.
        from.lowest_layer().close();
        to.lowest_layer().close();
    }
}

/// A text that begins with its length.
template<class Stream>
asio::awaitable<std::string> counted(Stream& from)
{
    const auto n = co_await exactly(from, 1);
    co_return co_await exactly(from, static_cast<unsigned char>(n[0]));
}

} // namespace

struct proxy_server::state
{
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
    proxy_behaviour behaviour;
    std::optional<asio::ssl::context> tls;
    mutable std::mutex mutex;
    std::vector<std::string> asked;
    std::thread thread;

    void note(std::string what)
    {
        const std::lock_guard lock(mutex);
        asked.push_back(std::move(what));
    }

    template<class Stream>
    asio::awaitable<void> tunnel(std::shared_ptr<Stream> client, const std::string& port)
    {
        auto server = std::make_shared<tcp::socket>(context);
        const tcp::endpoint at(asio::ip::address_v4::loopback(), static_cast<unsigned short>(std::stoul(port)));
        co_await server->async_connect(at, asio::use_awaitable);
        const std::string opened =
            behaviour.socks ? "\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50"s : "HTTP/1.1 200 OK\r\n\r\n"s;
        co_await send(*client, opened);
        auto back = [](std::shared_ptr<tcp::socket> from, std::shared_ptr<Stream> to) -> asio::awaitable<void> {
            co_await copy(*from, *to);
        };
        asio::co_spawn(context, back(server, client), asio::detached);
        co_await copy(*client, *server);
    }

    template<class Stream>
    asio::awaitable<void> serve_http(std::shared_ptr<Stream> client)
    {
        const auto text = co_await head(*client);
        const auto line = text.substr(0, text.find("\r\n"));
        const auto login = "Proxy-Authorization: Basic " + bytes(behaviour.login).base64() + "\r\n";
        if (!behaviour.login.empty() && text.find(login) == text.npos) {
            const auto refusal = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"s;
            co_await send(*client, refusal);
            co_return;
        }
        if (line.find("CONNECT ") != 0) {
            note(line);
            const auto page = answer_text(200, pod_text("from-the-proxy"));
            co_await send(*client, page);
            co_return;
        }
        const auto target = line.substr(8, line.rfind(' ') - 8);
        note(target);
        const auto port = target.substr(target.rfind(':') + 1);
        co_await tunnel(client, port);
    }

    asio::awaitable<void> serve_socks(std::shared_ptr<tcp::socket> client)
    {
        (void)co_await exactly(*client, 1);
        const auto methods = co_await counted(*client);
        const char wanted = behaviour.login.empty() ? 0 : 2;
        const bool offered = methods.find(wanted) != methods.npos;
        const auto method = "\x05"s + (offered ? wanted : '\xff');
        co_await send(*client, method);
        if (!offered) co_return;
        if (wanted == 2) {
            (void)co_await exactly(*client, 1);
            const auto user = co_await counted(*client);
            const auto password = co_await counted(*client);
            const bool right = user + ":" + password == behaviour.login;
            const auto verdict = "\x01"s + (right ? '\0' : '\1');
            co_await send(*client, verdict);
            if (!right) co_return;
        }
        const auto request = co_await exactly(*client, 4);
        if (request[3] != 3 && request[3] != 1) throw std::runtime_error("another type of address");
        std::string host = "an address";
        if (request[3] == 3)
            host = co_await counted(*client);
        else
            (void)co_await exactly(*client, 4);
        const auto bytes = co_await exactly(*client, 2);
        const auto port =
            std::to_string(static_cast<unsigned char>(bytes[0]) * 256 + static_cast<unsigned char>(bytes[1]));
        note(host + ":" + port);
        co_await tunnel(client, port);
    }

    asio::awaitable<void> serve(tcp::socket socket)
    {
        if (!tls) {
            auto client = std::make_shared<tcp::socket>(std::move(socket));
            if (behaviour.socks)
                co_await serve_socks(client);
            else
                co_await serve_http(client);
            co_return;
        }
        auto client = std::make_shared<asio::ssl::stream<tcp::socket>>(std::move(socket), *tls);
        co_await client->async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
        co_await serve_http(client);
    }

    asio::awaitable<void> accept()
    {
        for (;;) {
            auto socket = co_await acceptor.async_accept(asio::use_awaitable);
            // These coroutines end with the context, as the proxy does.
            asio::co_spawn(context, serve(std::move(socket)), asio::detached);
        }
    }
};

proxy_server::proxy_server(proxy_behaviour behaviour) : state_(std::make_unique<state>())
{
    if (behaviour.tls) {
        state_->tls.emplace(asio::ssl::context::tls_server);
        state_->tls->use_certificate_chain(asio::buffer(behaviour.tls->self.certificate));
        state_->tls->use_private_key(asio::buffer(behaviour.tls->self.key), asio::ssl::context::pem);
    }
    state_->behaviour = std::move(behaviour);
    asio::co_spawn(state_->context, state_->accept(), asio::detached);
    state_->thread = std::thread([s = state_.get()] { s->context.run(); });
}

proxy_server::~proxy_server()
{
    state_->context.stop();
    state_->thread.join();
}

std::string proxy_server::url(const std::string& login) const
{
    const char* scheme = state_->behaviour.socks ? "socks5" : state_->tls ? "https" : "http";
    return scheme + "://"s + (login.empty() ? "" : login + "@") +
           "127.0.0.1:" + std::to_string(state_->acceptor.local_endpoint().port());
}

std::vector<std::string> proxy_server::asked() const
{
    const std::lock_guard lock(state_->mutex);
    return state_->asked;
}

} // namespace kubecoro::test
