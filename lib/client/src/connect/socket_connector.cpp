#include "connect/socket_connector.hpp"

#include "connect/socket_stream.hpp"
#include "http/deadline.hpp"

#include <kubecoro/base/as_result.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <utility>
#include <vector>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

struct contest
{
    std::shared_ptr<happy_eyeballs_core> plan;
    dialer dial;
    wake_signal changed = {};
};

asio::awaitable<result<>> attempt(std::shared_ptr<contest> of, std::size_t index)
{
    const auto done = co_await catch_failure(of->dial(index));
    if (done)
        of->plan->on_connected(index);
    else
        of->plan->on_failed(index, done.error());
    of->changed.notify();
    co_return result<>{};
}

asio::awaitable<result<>> wait_for_change(time_source& time, const contest& of, std::optional<time_point> until)
{
    auto change = of.changed.wait();
    if (!until) co_return co_await std::move(change);
    (void)co_await race(std::move(change), sleep_for(time, *until - time.now()));
    co_return result<>{};
}

asio::awaitable<result<std::size_t>> follow(std::shared_ptr<time_source> time, std::shared_ptr<contest> of,
                                            std::shared_ptr<task_group> attempts)
{
    for (;;) {
        const auto next = of->plan->next(time->now());
        if (const auto* opening = std::get_if<happy_eyeballs_core::open>(&next)) {
            attempts->spawn("connect to " + of->plan->order()[opening->index], attempt(of, opening->index));
        } else if (const auto* waiting = std::get_if<happy_eyeballs_core::wait>(&next)) {
            KUBECORO_TRY(co_await wait_for_change(*time, *of, waiting->until));
        } else if (const auto* won = std::get_if<happy_eyeballs_core::connected>(&next)) {
            co_return won->index;
        } else {
            co_return std::get<happy_eyeballs_core::give_up>(next).why;
        }
    }
}

/// The attempts of one race. They may be destroyed after the race itself, with their context.
struct racers
{
    std::shared_ptr<task_group> group;
    ~racers()
    {
        group->stop();
        group->keep_until_ended(group);
    }
};

asio::awaitable<result<std::size_t>> run_race(std::shared_ptr<time_source> time,
                                              std::shared_ptr<happy_eyeballs_core> plan, dialer dial)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto before = co_await asio::this_coro::cancellation_state;
    const bool was_cancelled = before.cancelled() != asio::cancellation_type::none;
    const auto of = std::make_shared<contest>(contest{std::move(plan), std::move(dial)});
    const racers all{std::make_shared<task_group>(executor)};
    auto outcome = co_await catch_failure(follow(std::move(time), of, all.group));
    all.group->stop();
    while (all.group->running() != 0) (void)co_await all.group->join(); // the join may be cancelled again
    // A cancellation while the losers ended must not be lost; one that came before the race, in a clean-up section, is
    // ignored.
    const auto after = co_await asio::this_coro::cancellation_state;
    if (!was_cancelled && after.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    co_return outcome;
}

} // namespace

asio::awaitable<result<std::size_t>> race_connections(std::shared_ptr<time_source> time,
                                                      std::shared_ptr<happy_eyeballs_core> plan, dialer dial)
{
    return finishing(run_race(std::move(time), std::move(plan), std::move(dial)));
}

connection_meters::connection_meters(std::shared_ptr<metrics> sink, const std::string& host)
{
    if (!sink) sink = null_metrics();
    look_up = sink->make_histogram("rest_client_dns_resolution_duration_seconds", {{"host", host}});
    connect = sink->make_histogram("kubecoro_client_connect_seconds", {{"host", host}});
    tls_handshake = sink->make_histogram("kubecoro_client_tls_handshake_seconds", {{"host", host}});
    constexpr std::string_view connections = "kubecoro_client_connections_total";
    opened = sink->make_counter(connections, {{"host", host}, {"outcome", "opened"}});
    failed = sink->make_counter(connections, {{"host", host}, {"outcome", "failed"}});
    constexpr std::string_view sessions = "kubecoro_client_tls_handshakes_total";
    resumed = sink->make_counter(sessions, {{"host", host}, {"keys", "resumed"}});
    full = sink->make_counter(sessions, {{"host", host}, {"keys", "full"}});
}

asio::awaitable<result<>> open_tunnel(byte_stream& through, tunnel_core& core, std::string proxy_name)
{
    std::array<char, 2048> buffer;
    auto text = core.begin();
    for (;;) {
        if (!text.empty()) {
            KUBECORO_TRY(co_await through.write(text));
        }
        KUBECORO_TRY(const auto n, co_await through.read_some(buffer.data(), buffer.size()));
        if (n == 0) co_return failure(cond::unreachable, proxy_name + " closed the connection without a response");
        KUBECORO_TRY(auto next, core.feed({buffer.data(), n}));
        if (next.open) co_return result<>{};
        text = std::move(next.send);
    }
}

using asio::ip::tcp;

namespace {

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

double seconds(duration d) { return std::chrono::duration<double>(d).count(); }

/// Whether newer certificates may help.
bool may_be_outdated(const failure& f) { return f != cond::cancelled && f != cond::timed_out; }

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
    co_return co_await sockets->all[index].async_connect(tcp::endpoint(parsed, sockets->port), as_result);
}

class socket_connector final : public connector
{
public:
    explicit socket_connector(socket_options o)
        : options_(std::move(o)),
          first_hop_(options_.proxy ? tunnel_target{options_.proxy->address.host, options_.proxy->address.port}
                                    : tunnel_target{options_.address.host, options_.address.port}),
          first_peer_(options_.proxy ? options_.proxy->address.name() : options_.address.endpoint()),
          peer_(options_.proxy ? options_.address.endpoint() + " through " + first_peer_ : first_peer_)
    {
        if (!options_.names) options_.names = std::make_shared<name_resolver>(options_.time);
    }

    asio::awaitable<result<std::unique_ptr<byte_stream>>> connect() override
    {
        std::unique_ptr<byte_stream> stream;
        if (!options_.tls) {
            auto opened = co_await open({}, stream);
            co_return counted(opened, stream);
        }
        KUBECORO_TRY(auto chosen, co_await options_.tls->newest());
        auto opened = co_await open(chosen, stream);
        if (!opened && may_be_outdated(opened.error())) {
            if (co_await options_.tls->renewed_since(chosen.get())) {
                opened = co_await open(options_.tls->current(), stream);
            }
        }
        co_return counted(opened, stream);
    }

    std::optional<asio::awaitable<void>> refresh() override
    {
        auto server = options_.tls ? options_.tls->refresh() : std::nullopt;
        auto proxy = options_.proxy && options_.proxy->tls ? options_.proxy->tls->refresh() : std::nullopt;
        if (!server) return proxy;
        if (!proxy) return server;
        return one_by_one(std::move(*server), std::move(*proxy));
    }

private:
    static asio::awaitable<void> one_by_one(asio::awaitable<void> first, asio::awaitable<void> second)
    {
        co_await std::move(first);
        co_await std::move(second);
    }

    result<std::unique_ptr<byte_stream>> counted(const result<>& opened, std::unique_ptr<byte_stream>& stream)
    {
        (opened ? options_.meters.opened : options_.meters.failed)->add();
        if (!opened) return opened.error();
        return std::move(stream);
    }

    /// @param generation  Null for plain TCP.
    asio::awaitable<result<>> open(std::shared_ptr<tls_generation> generation, std::unique_ptr<byte_stream>& stream)
    {
        const auto executor = options_.executor.get();
        if (!executor) co_return failure(cond::cancelled, "the context of the client has ended");
        const auto begun = options_.time->now();
        tcp::socket socket(executor);
        std::string address;
        duration looked_up{};
        KUBECORO_TRY(co_await connect_tcp(socket, address, looked_up));
        keep_watch_over(socket);
        stream = make_tcp_stream(std::move(socket), options_.time, first_peer_);
        if (options_.proxy) {
            KUBECORO_TRY(co_await pass_proxy(stream, begun));
        }
        const auto connected_at = options_.time->now();
        options_.meters.connect->observe(seconds(connected_at - begun - looked_up));
        if (generation) {
            KUBECORO_TRY(co_await secure(stream, std::move(generation), options_.server_name, peer_));
            options_.meters.tls_handshake->observe(seconds(options_.time->now() - connected_at));
            (stream->resumed() ? options_.meters.resumed : options_.meters.full)->add();
        }
        remember(std::move(address));
        co_return result<>{};
    }

    asio::awaitable<result<>> connect_tcp(tcp::socket& socket, std::string& address, duration& looked_up)
    {
        const auto begun = options_.time->now();
        happy_eyeballs_settings settings{.peer = first_peer_, .preferred = worked_last()};
        if (options_.connect_timeout != duration::zero())
            settings.deadline = time_after(begun, options_.connect_timeout);
        std::vector<std::string> addresses;
        KUBECORO_TRY(co_await with_deadline(*options_.time, options_.connect_timeout, find_addresses(addresses),
                                            "looking up " + first_hop_.host));
        looked_up = options_.time->now() - begun;
        auto plan = std::make_shared<happy_eyeballs_core>(std::move(addresses), std::move(settings));
        auto sockets = std::make_shared<race_sockets>();
        sockets->port = static_cast<unsigned short>(std::stoul(first_hop_.port));
        for (std::size_t i = 0; i < plan->order().size(); ++i) sockets->all.emplace_back(socket.get_executor());
        dialer dialing = [plan, sockets](std::size_t i) { return dial(sockets, i, plan->order()[i]); };
        KUBECORO_TRY(auto winner, co_await race_connections(options_.time, plan, std::move(dialing)));
        socket = std::move(sockets->all[winner]);
        address = plan->order()[winner];
        co_return result<>{};
    }

    asio::awaitable<result<>> find_addresses(std::vector<std::string>& out)
    {
        boost::system::error_code not_literal;
        (void)asio::ip::make_address(first_hop_.host, not_literal);
        if (!not_literal) {
            out.push_back(first_hop_.host);
            co_return result<>{};
        }
        const auto begun = options_.time->now();
        auto found = co_await options_.names->resolve(first_hop_.host);
        options_.meters.look_up->observe(seconds(options_.time->now() - begun));
        if (!found) co_return found.error();
        out = std::move(*found);
        co_return result<>{};
    }

    /// @param begun  When connecting began: the proxy's response counts.
    asio::awaitable<result<>> pass_proxy(std::unique_ptr<byte_stream>& stream, time_point begun)
    {
        const auto& proxy = *options_.proxy;
        if (proxy.tls) {
            KUBECORO_TRY(auto chosen, co_await proxy.tls->newest());
            KUBECORO_TRY(co_await secure(stream, std::move(chosen), proxy.address.host, first_peer_));
        }
        if (!proxy.tunnel) co_return result<>{};
        const tunnel_target server{options_.address.host, options_.address.port};
        const bool socks = proxy.address.speaks == proxy_address::protocol::socks5;
        const auto core = socks ? make_socks5_tunnel(proxy.address, server) : make_http_tunnel(proxy.address, server);
        co_return co_await with_deadline(*options_.time, rest_of(options_.connect_timeout, begun),
                                         open_tunnel(*stream, *core, first_peer_), "the response of " + first_peer_);
    }

    /// A limit that has passed is a short one: 0 means none.
    [[nodiscard]] duration rest_of(duration limit, time_point begun) const
    {
        if (limit == duration::zero()) return limit;
        return std::max(limit - (options_.time->now() - begun), duration{1});
    }

    /// Replaces the stream by TLS inside it.
    asio::awaitable<result<>> secure(std::unique_ptr<byte_stream>& stream, std::shared_ptr<tls_generation> tls,
                                     std::string name, std::string peer)
    {
        auto doing = "the TLS handshake with " + peer;
        co_return co_await with_deadline(*options_.time, options_.handshake_timeout,
                                         shake_hands(stream, std::move(tls), std::move(name), std::move(peer)),
                                         std::move(doing));
    }

    static asio::awaitable<result<>> shake_hands(std::unique_ptr<byte_stream>& stream,
                                                 std::shared_ptr<tls_generation> tls, std::string name,
                                                 std::string peer)
    {
        KUBECORO_TRY(auto secured,
                     co_await make_tls_stream(std::move(stream), std::move(tls), std::move(name), std::move(peer)));
        stream = std::move(secured);
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
    /// The peer of the TCP connection: the proxy, or the server.
    tunnel_target first_hop_;
    /// For messages.
    std::string first_peer_;
    std::string peer_;
    std::mutex mutex_;
    std::string worked_last_;
};

} // namespace

std::shared_ptr<connector> make_socket_connector(socket_options options)
{
    return std::make_shared<socket_connector>(std::move(options));
}

namespace {

/// The TLS settings for a proxy: they follow the same authorities as those for the server.
result<std::shared_ptr<tls_source>> make_proxy_tls(tls_source::settings with, const proxy_address& proxy)
{
    cluster_config trusted;
    trusted.server = bracketed(proxy.host) + ":" + proxy.port;
    trusted.ca = std::move(with.config.ca);
    trusted.ca_file = std::move(with.config.ca_file);
    trusted.insecure = with.config.insecure;
    with.config = std::move(trusted);
    with.peer = tls_peer::proxy;
    return tls_source::make(std::move(with));
}

} // namespace

result<std::optional<proxy_route>> find_proxy_route(const server_address& server, tls_source::settings with)
{
    auto chosen = choose_proxy(with.config.proxy_url, server, with.machine);
    if (!chosen) return chosen.error();
    if (!*chosen) return std::optional<proxy_route>();
    proxy_route out;
    out.address = std::move((*chosen)->address);
    // As in Go, an HTTP proxy is asked for the pages of a plain HTTP server, not for a connection.
    out.tunnel = server.tls || out.address.speaks == proxy_address::protocol::socks5;
    const auto log = with.log;
    if (out.address.speaks == proxy_address::protocol::https) {
        auto tls = make_proxy_tls(std::move(with), out.address);
        if (!tls) return tls.error();
        out.tls = std::move(*tls);
    }
    log.info("the server is reached through a proxy", {{"server", server.endpoint()},
                                                       {"proxy", bracketed(out.address.host) + ":" + out.address.port},
                                                       {"origin", (*chosen)->origin}});
    return std::optional(std::move(out));
}

} // namespace kubecoro::detail
