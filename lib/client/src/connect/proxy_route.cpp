#include "connect/proxy_route.hpp"

#include "connect/tls_context.hpp"
#include "connect/tls_generation.hpp"

#include <utility>

namespace kubecoro::detail {

namespace {

constexpr std::size_t longest_file = 10 * 1024 * 1024;

} // namespace

result<std::optional<proxy_route>> find_proxy_route(const cluster_config& config, const server_address& server,
                                                    const environment& env, const logger& log)
{
    auto chosen = choose_proxy(config.proxy_url, server, env);
    if (!chosen) return chosen.error();
    if (!*chosen) return std::optional<proxy_route>();
    proxy_route out;
    out.address = std::move((*chosen)->address);
    // As in Go, an HTTP proxy is asked for the pages of a plain HTTP server, not for a connection.
    out.tunnel = server.tls || out.address.speaks == proxy_address::protocol::socks5;
    if (out.address.speaks == proxy_address::protocol::https) {
        auto trusted = config;
        if (trusted.ca.empty() && !trusted.ca_file.empty())
            if (auto authorities = env.read_file(trusted.ca_file, longest_file)) trusted.ca = std::move(*authorities);
        auto tls = make_proxy_tls_context(trusted);
        if (!tls) return tls.error();
        out.tls = std::make_shared<tls_generation>(std::move(*tls));
    }
    log.info("the server is reached through a proxy", {{"server", server.endpoint()},
                                                       {"proxy", bracketed(out.address.host) + ":" + out.address.port},
                                                       {"origin", (*chosen)->origin}});
    return std::optional(std::move(out));
}

} // namespace kubecoro::detail
