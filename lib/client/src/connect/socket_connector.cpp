#include "connect/socket_connector.hpp"

#include "connect/connection_race.hpp"
#include "connect/socket_stream.hpp"
#include "rest/deadline.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <mutex>
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

/// Detects a vanished peer within about a minute even where no deadline applies, as on a watch.
void keep_watch_over(tcp::socket& socket) noexcept
{
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE) && defined(TCP_KEEPINTVL) && defined(TCP_KEEPCNT)
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
    set_patience(socket, std::chrono::seconds{60});
}

/// The sockets of one race, in the order of its addresses.
struct race_sockets
{
    std::vector<tcp::socket> all;
    unsigned short port;
};

asio::awaitable<result<>> dial(std::shared_ptr<race_sockets> sockets, std::size_t index, std::string address)
{
    boost::system::error_code bad;
    const auto parsed = asio::ip::make_address(address, bad);
    if (bad) co_return failure(cond::unreachable, "not an address");
    auto [ec] = co_await sockets->all[index].async_connect(tcp::endpoint(parsed, sockets->port), as_values);
    if (ec) co_return failure(ec, {});
    co_return result<>{};
}

class socket_connector final : public connector
{
public:
    explicit socket_connector(socket_options o) : options_(std::move(o)), peer_(options_.address.endpoint())
    {
        if (!options_.names) options_.names = std::make_shared<name_resolver>(options_.time);
    }

    asio::awaitable<result<std::unique_ptr<byte_stream>>> connect() override
    {
        const auto executor = options_.executor.get();
        if (!executor) co_return failure(cond::cancelled, "the context of the client has ended");
        tcp::socket socket(executor);
        std::string address;
        auto connecting = connect_tcp(socket, address);
        auto connected = co_await std::move(connecting);
        if (!connected) co_return connected.error();
        keep_watch_over(socket);
        std::unique_ptr<byte_stream> stream;
        if (options_.tls) {
            auto shaking = shake_hands(std::move(socket), stream);
            auto secured = co_await with_deadline(*options_.time, options_.handshake_timeout, std::move(shaking),
                                                  "the TLS handshake with " + peer_);
            if (!secured) co_return secured.error();
        } else {
            stream = make_tcp_stream(std::move(socket), options_.time, peer_);
        }
        remember(std::move(address));
        co_return stream;
    }

private:
    asio::awaitable<result<>> connect_tcp(tcp::socket& socket, std::string& address)
    {
        happy_eyeballs_settings settings{.peer = peer_, .preferred = worked_last()};
        if (options_.connect_timeout != duration::zero())
            settings.deadline = options_.time->now() + options_.connect_timeout;
        std::vector<std::string> addresses;
        auto finding = find_addresses(addresses);
        auto found = co_await with_deadline(*options_.time, options_.connect_timeout, std::move(finding),
                                            "looking up " + options_.address.host);
        if (!found) co_return found;
        auto plan = std::make_shared<happy_eyeballs_core>(std::move(addresses), std::move(settings));
        auto sockets = std::make_shared<race_sockets>();
        sockets->port = static_cast<unsigned short>(std::stoul(options_.address.port));
        for (std::size_t i = 0; i < plan->order().size(); ++i) sockets->all.emplace_back(socket.get_executor());
        dialer dialing = [plan, sockets](std::size_t i) { return dial(sockets, i, plan->order()[i]); };
        auto racing = race_connections(options_.time, plan, std::move(dialing));
        auto winner = co_await std::move(racing);
        if (!winner) co_return winner.error();
        socket = std::move(sockets->all[*winner]);
        address = plan->order()[*winner];
        co_return result<>{};
    }

    asio::awaitable<result<>> find_addresses(std::vector<std::string>& out)
    {
        boost::system::error_code not_literal;
        (void)asio::ip::make_address(options_.address.host, not_literal);
        if (!not_literal) {
            out.push_back(options_.address.host);
            co_return result<>{};
        }
        auto resolving = options_.names->resolve(options_.address.host);
        auto found = co_await std::move(resolving);
        if (!found) co_return found.error();
        out = std::move(*found);
        co_return result<>{};
    }

    asio::awaitable<result<>> shake_hands(tcp::socket socket, std::unique_ptr<byte_stream>& out)
    {
        auto securing = make_tls_stream(std::move(socket), options_.time, options_.tls, options_.server_name, peer_);
        auto stream = co_await std::move(securing);
        if (!stream) co_return stream.error();
        out = std::move(*stream);
        co_return result<>{};
    }

    std::string worked_last()
    {
        const std::lock_guard lock(mutex_);
        return worked_last_;
    }

    void remember(std::string address)
    {
        const std::lock_guard lock(mutex_);
        worked_last_ = std::move(address);
    }

    socket_options options_;
    std::string peer_;
    std::mutex mutex_;
    std::string worked_last_;
};

} // namespace

std::shared_ptr<connector> make_socket_connector(socket_options options)
{
    return std::make_shared<socket_connector>(std::move(options));
}

} // namespace kubecoro::detail
