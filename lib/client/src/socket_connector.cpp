#include "socket_connector.hpp"

#include "deadline.hpp"
#include "socket_stream.hpp"

#include <kubecoro/base/async_event.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>

namespace kubecoro::detail {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

template<class Value>
void set_option(tcp::socket& socket, int level, int name, Value value) noexcept
{
    // Best effort: a connection without these still works.
    (void)::setsockopt(socket.native_handle(), level, name, &value, sizeof value);
}

/// A peer that vanished is noticed within about a minute even where nobody has a deadline, as on a watch.
void keep_watch_over(tcp::socket& socket) noexcept
{
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE) && defined(TCP_KEEPINTVL) && defined(TCP_KEEPCNT)
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
#ifdef TCP_USER_TIMEOUT
    set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000U);
#endif
}

struct lookup
{
    explicit lookup(const asio::any_io_executor& e) : resolver(e) {}
    tcp::resolver resolver;
    std::vector<tcp::endpoint> endpoints;
    boost::system::error_code code;
    latch done;
};

class socket_connector final : public connector
{
public:
    explicit socket_connector(socket_options o)
        : options_(std::move(o)), peer_(options_.address.host + ":" + options_.address.port)
    {
    }

    asio::awaitable<result<std::unique_ptr<byte_stream>>> connect() override
    {
        tcp::socket socket(options_.executor);
        auto connecting = connect_tcp(socket);
        auto connected = co_await with_deadline(*options_.time, options_.connect_timeout, std::move(connecting),
                                                "connecting to " + peer_);
        if (!connected) co_return connected.error();
        keep_watch_over(socket);
        if (!options_.tls) co_return make_tcp_stream(std::move(socket), peer_);
        std::unique_ptr<byte_stream> stream;
        auto shaking = shake_hands(std::move(socket), stream);
        auto secured = co_await with_deadline(*options_.time, options_.handshake_timeout, std::move(shaking),
                                              "the TLS handshake with " + peer_);
        if (!secured) co_return secured.error();
        co_return stream;
    }

private:
    asio::awaitable<result<>> connect_tcp(tcp::socket& socket)
    {
        std::vector<tcp::endpoint> endpoints;
        auto found = co_await resolve(endpoints);
        if (!found) co_return found;
        boost::system::error_code last = asio::error::host_not_found;
        for (std::size_t i = 0; i < endpoints.size(); ++i) {
            boost::system::error_code ignored;
            socket.close(ignored);
            auto attempt = connect_one(socket, endpoints[i], last);
            // One address that swallows packets leaves time for the others.
            const auto share = i + 1 < endpoints.size() ? options_.connect_timeout / static_cast<int>(endpoints.size())
                                                        : duration::zero();
            auto done = co_await with_deadline(*options_.time, share, std::move(attempt), "connecting to " + peer_);
            if (done) co_return done;
            if (done.error().condition() == cond::cancelled) co_return done;
            if (done.error().condition() == cond::timed_out) last = asio::error::timed_out;
        }
        co_return failure(last, "connect to " + peer_);
    }

    asio::awaitable<result<>> resolve(std::vector<tcp::endpoint>& out)
    {
        boost::system::error_code not_literal;
        const auto literal = asio::ip::make_address(options_.address.host, not_literal);
        if (!not_literal) {
            out.emplace_back(literal, static_cast<unsigned short>(std::stoul(options_.address.port)));
            co_return result<>{};
        }
        // A look-up in progress cannot be cancelled: it is left behind with what it needs.
        auto pending = std::make_shared<lookup>(options_.executor);
        pending->resolver.async_resolve(
            options_.address.host, options_.address.port,
            [pending](boost::system::error_code ec, const tcp::resolver::results_type& found) {
                for (const auto& entry : found) pending->endpoints.push_back(entry.endpoint());
                pending->code = ec;
                pending->done.settle({});
            });
        auto waited = co_await pending->done.wait();
        if (!waited) co_return waited;
        if (pending->code) co_return failure(pending->code, "look up " + options_.address.host);
        out = pending->endpoints;
        co_return result<>{};
    }

    asio::awaitable<result<>> connect_one(tcp::socket& socket, tcp::endpoint where, boost::system::error_code& why)
    {
        auto [ec] = co_await socket.async_connect(where, as_values);
        why = ec;
        if (ec) co_return failure(ec, "connect to " + peer_);
        co_return result<>{};
    }

    asio::awaitable<result<>> shake_hands(tcp::socket socket, std::unique_ptr<byte_stream>& out)
    {
        auto stream = co_await make_tls_stream(std::move(socket), options_.tls, options_.server_name, peer_);
        if (!stream) co_return stream.error();
        out = std::move(*stream);
        co_return result<>{};
    }

    socket_options options_;
    std::string peer_;
};

} // namespace

std::shared_ptr<connector> make_socket_connector(socket_options options)
{
    return std::make_shared<socket_connector>(std::move(options));
}

} // namespace kubecoro::detail
