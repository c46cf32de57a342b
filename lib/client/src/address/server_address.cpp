#include "address/server_address.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <arpa/inet.h>
#include <array>

namespace kubecoro::detail {

namespace {

bool is_label(std::string_view text)
{
    constexpr std::size_t longest_label = 63;
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    return !text.empty() && text.size() <= longest_label && text.front() != '-' && text.back() != '-' &&
           std::all_of(text.begin(), text.end(), fits);
}

} // namespace

bool is_address(const std::string& host)
{
    unsigned char bytes[sizeof(in6_addr)];
    // The functions of the system stop at a NUL.
    return host.find('\0') == host.npos &&
           (::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1);
}

bool is_host(const std::string& host)
{
    constexpr std::size_t longest_name = 253;
    if (is_address(host)) return true;
    std::string_view rest = host;
    if (rest.ends_with('.')) rest.remove_suffix(1);
    if (rest.size() > longest_name) return false;
    for (;;) {
        const auto dot = rest.find('.');
        if (!is_label(rest.substr(0, dot))) return false;
        if (dot == rest.npos) return true;
        rest.remove_prefix(dot + 1);
    }
}

std::string bracketed(const std::string& host) { return host.find(':') == std::string::npos ? host : "[" + host + "]"; }

bool is_plain_host(std::string_view host) { return host.find('%') == host.npos; }

std::string with_scheme(const std::string& server, bool tls)
{
    // A slash at the end is the path of all servers.
    if (server.empty() || server.find('/') < server.size() - 1) return server;
    return (tls ? "https://" : "http://") + server;
}

std::string server_address::endpoint() const { return bracketed(host) + ":" + port; }

std::string server_address::authority() const
{
    std::string out = bracketed(host);
    if (port != (tls ? "443" : "80")) out += ":" + port;
    return out;
}

result<server_address> server_address::parse(std::string_view url)
{
    std::string text(url);
    const auto wrong = [&](const char* why) {
        return failure(cond::misconfigured,
                       std::string("the server address ") + why + ": expected https://host[:port]");
    };
    auto parsed = boost::urls::parse_uri({text.data(), text.size()});
    if (!parsed) return wrong("is not a URL");
    const auto& u = *parsed;
    server_address out;
    if (u.scheme_id() != boost::urls::scheme::https && u.scheme_id() != boost::urls::scheme::http)
        return wrong("is neither https nor http");
    if (u.has_userinfo()) return wrong("contains a user name, which belongs in the user's entry");
    if (u.has_query() || u.has_fragment()) return wrong("has a query or fragment");
    out.tls = u.scheme_id() == boost::urls::scheme::https;
    const auto host = u.host_address();
    out.host.assign(host.data(), host.size());
    if (out.host.empty()) return wrong("has no host");
    const auto encoded = u.encoded_host();
    const std::string_view written(encoded.data(), encoded.size());
    if (!is_plain_host(written)) return wrong("has a percent-encoded host");
    if (!is_host(out.host) || (written.starts_with('[') && !is_address(out.host)))
        return wrong("has a host that is neither a host name nor an address");
    const auto port = u.port();
    out.port.assign(port.data(), port.size());
    if (out.port.empty()) out.port = out.tls ? "443" : "80";
    if (out.port.size() > 5 || std::stoul(out.port) == 0 || std::stoul(out.port) > 65535)
        return wrong("has no valid port");
    const auto path = u.encoded_path();
    out.prefix.assign(path.data(), path.size());
    // Boost.URL 1.81 parses invalid characters in a port as a path.
    if (!out.prefix.empty() && out.prefix.front() != '/') return wrong("has no valid port");
    while (!out.prefix.empty() && out.prefix.back() == '/') out.prefix.pop_back();
    return out;
}

namespace {

namespace ip = boost::asio::ip;

struct range
{
    std::uint32_t begin;
    unsigned bits;
};
constexpr std::array<range, 7> near_ranges{{{0x00000000, 32},
                                            {0x0a000000, 8},
                                            {0x64400000, 10},
                                            {0x7f000000, 8},
                                            {0xa9fe0000, 16},
                                            {0xac100000, 12},
                                            {0xc0a80000, 16}}};

bool is_near(const ip::address_v4& a)
{
    const auto bits = a.to_uint();
    return std::any_of(near_ranges.begin(), near_ranges.end(),
                       [bits](const range& r) { return (bits ^ r.begin) >> (32 - r.bits) == 0; });
}

bool is_near(const ip::address_v6& a)
{
    if (a.is_v4_mapped()) return is_near(ip::make_address_v4(ip::v4_mapped, a));
    const bool unique_local = (a.to_bytes()[0] & 0xfe) == 0xfc;
    return unique_local || a.is_link_local() || a.is_loopback() || a.is_unspecified();
}

bool is_near_name(std::string_view name)
{
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.find('.') == name.npos) return true;
    return name.ends_with(".svc") || name.ends_with(".cluster.local") || name.ends_with(".localhost");
}

} // namespace

bool is_near(const std::string& host)
{
    boost::system::error_code not_an_address;
    const auto address = ip::make_address(host, not_an_address);
    if (not_an_address) return is_near_name(host);
    return address.is_v4() ? is_near(address.to_v4()) : is_near(address.to_v6());
}

bool wants_gzip(compression policy, bool disabled, const std::string& host)
{
    if (disabled || policy == compression::off) return false;
    return policy == compression::on || !is_near(host);
}

} // namespace kubecoro::detail
