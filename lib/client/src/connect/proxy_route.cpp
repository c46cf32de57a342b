#include "connect/proxy_route.hpp"

#include <utility>

namespace kubecoro::detail {

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
