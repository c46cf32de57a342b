#include "config/server_address.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace kubecoro::detail {

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
    const auto written = u.encoded_host();
    if (!is_plain_host({written.data(), written.size()})) return wrong("has a percent-encoded host");
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

} // namespace kubecoro::detail
