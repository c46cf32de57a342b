#include "config/proxy_environment.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <string_view>

namespace kubecoro::detail {

namespace ip = boost::asio::ip;

namespace {

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::optional<ip::address> address_of(const std::string& text)
{
    boost::system::error_code ec;
    auto parsed = ip::make_address(text, ec);
    if (ec) return std::nullopt;
    return parsed;
}

/// "10.0.0.0/8" or "fd00::/8".
bool holds(const std::string& network, const ip::address& address)
{
    boost::system::error_code ec;
    if (address.is_v4()) {
        const auto net = ip::make_network_v4(network, ec);
        return !ec && ip::network_v4(address.to_v4(), net.prefix_length()).canonical() == net.canonical();
    }
    const auto net = ip::make_network_v6(network, ec);
    return !ec && ip::network_v6(address.to_v6(), net.prefix_length()).canonical() == net.canonical();
}

/// Removes ":443" and brackets from an entry. @return whether the port, if given, is the server's.
bool split_port(std::string& entry, const std::string& port)
{
    const auto colon = entry.rfind(':');
    const bool bracketed = entry.front() == '[';
    const bool has_port = colon != entry.npos && (bracketed ? entry[colon - 1] == ']' : entry.find(':') == colon);
    const bool right = !has_port || entry.substr(colon + 1) == port;
    if (has_port) entry.resize(colon);
    if (bracketed && entry.back() == ']') entry = entry.substr(1, entry.size() - 2);
    return right;
}

bool names(std::string entry, const server_address& server)
{
    if (entry == "*") return true;
    const auto address = address_of(server.host);
    if (entry.find('/') != entry.npos) return address && holds(entry, *address);
    if (!split_port(entry, server.port) || entry.empty()) return false;
    if (address) return address_of(entry) == address;
    if (entry.starts_with("*.")) entry.erase(0, 1);
    const auto host = lower(server.host);
    if (entry.front() == '.') return host.ends_with(entry);
    return host == entry || host.ends_with("." + entry);
}

bool is_excepted(std::string_view list, const server_address& server)
{
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        auto entry = lower(list.substr(0, end));
        std::erase_if(entry, [](char c) { return c == ' ' || c == '\t'; });
        if (!entry.empty() && names(std::move(entry), server)) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

bool is_this_machine(const std::string& host)
{
    if (lower(host) == "localhost") return true;
    const auto address = address_of(host);
    return address && address->is_loopback();
}

} // namespace

std::optional<std::string> proxy_variable(const server_address& server, const environment& env)
{
    if (is_this_machine(server.host)) return std::nullopt;
    for (const char* name : {"NO_PROXY", "no_proxy"}) {
        const auto list = env.variable(name);
        if (list && is_excepted(*list, server)) return std::nullopt;
        if (list && !list->empty()) break;
    }
    for (const char* name : {server.tls ? "HTTPS_PROXY" : "HTTP_PROXY", server.tls ? "https_proxy" : "http_proxy"})
        if (const auto value = env.variable(name); value && !value->empty()) return name;
    return std::nullopt;
}

} // namespace kubecoro::detail
