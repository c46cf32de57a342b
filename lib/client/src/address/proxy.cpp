#include "address/proxy.hpp"

#include <kubecoro/api/bytes.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace kubecoro::detail {

namespace {

// RFC 1929 sends the length of each in a byte.
constexpr std::size_t longest_socks_text = 255;

struct scheme
{
    std::string_view name;
    proxy_address::protocol speaks;
    const char* port;
};

constexpr std::array<scheme, 4> schemes{{{"http", proxy_address::protocol::http, "80"},
                                         {"https", proxy_address::protocol::https, "443"},
                                         {"socks5", proxy_address::protocol::socks5, "1080"},
                                         {"socks5h", proxy_address::protocol::socks5, "1080"}}};

/// The text up to the path, with each "@" of the login but the last one encoded: as in Go, a password may contain it.
std::string authority_of(std::string_view url)
{
    const auto begin = url.find("://");
    if (begin == url.npos) return {};
    const auto all = url.substr(0, url.find_first_of("/?#", begin + 3));
    const auto last = std::min(all.rfind('@'), all.size());
    std::string out;
    for (const char c : all.substr(0, last)) {
        if (c == '@')
            out += "%40";
        else
            out += c;
    }
    return out.append(all.substr(last));
}

bool is_valid_port(const std::string& port)
{
    return !port.empty() && port.size() <= 5 && std::stoul(port) > 0 && std::stoul(port) <= 65535;
}

std::string text_of(const auto& part) { return std::string(part.data(), part.size()); }

} // namespace

std::string proxy_address::name() const { return "the proxy " + bracketed(host) + ":" + port; }

std::string proxy_address::authorization() const
{
    return login ? "Basic " + bytes(login->username + ":" + login->password).base64() : std::string();
}

result<proxy_address> proxy_address::parse(std::string_view url)
{
    const auto wrong = [](const char* why) {
        return failure(cond::misconfigured, std::string("the proxy's URL ") + why +
                                                ": expected http://[user:password@]host[:port], https:// "
                                                "or socks5://");
    };
    const auto text = authority_of(url);
    const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
    if (!parsed) return wrong("is not valid");
    const auto& u = *parsed;
    auto named = text_of(u.scheme());
    std::transform(named.begin(), named.end(), named.begin(), [](char c) { return static_cast<char>(c | 0x20); });
    const auto* known = std::find_if(schemes.begin(), schemes.end(), [&](const scheme& s) { return s.name == named; });
    if (known == schemes.end()) return wrong("has another scheme");
    proxy_address out;
    out.speaks = known->speaks;
    out.host = text_of(u.host_address());
    if (out.host.empty()) return wrong("has no host");
    if (!is_plain_host(text_of(u.encoded_host()))) return wrong("has a percent-encoded host");
    if (!is_host(out.host)) return wrong("has a host that is neither a host name nor an address");
    out.port = text_of(u.port());
    if (out.port.empty()) out.port = known->port;
    // Boost.URL 1.81 parses invalid characters in a port as a path.
    if (!is_valid_port(out.port) || !u.encoded_path().empty()) return wrong("has no valid port");
    if (!u.has_userinfo()) return out;
    out.login = credentials{text_of(u.user()), text_of(u.password())};
    const auto longest = std::max(out.login->username.size(), out.login->password.size());
    if (out.speaks == protocol::socks5 && (longest > longest_socks_text || out.login->username.empty()))
        return wrong("has a user name or password that SOCKS5 cannot carry");
    return out;
}

namespace ip = boost::asio::ip;

namespace {

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

/// As in Go, an IPv4 address in IPv6 form is an IPv4 address.
std::optional<ip::address> address_of(const std::string& text)
{
    boost::system::error_code ec;
    auto parsed = ip::make_address(text, ec);
    if (ec) return std::nullopt;
    if (parsed.is_v6() && parsed.to_v6().is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, parsed.to_v6());
    return parsed;
}

std::string trimmed(const std::string& text)
{
    constexpr const char* blanks = " \t\r\n\v\f";
    const auto begin = text.find_first_not_of(blanks);
    return begin == text.npos ? std::string() : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
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
        auto entry = trimmed(lower(list.substr(0, end)));
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

struct setting
{
    std::string value = {};
    std::string name = {};
};

/// The first of the variables that is not empty.
setting first_of(const environment& env, std::initializer_list<const char*> names)
{
    for (const char* name : names)
        if (auto value = env.variable(name); value && !value->empty()) return {std::move(*value), name};
    return {};
}

result<std::optional<chosen_proxy>> parsed(const std::string& url, const std::string& origin)
{
    auto address = proxy_address::parse(url);
    if (!address) return failure(cond::misconfigured, origin + ": " + address.error().message());
    return std::optional(chosen_proxy{std::move(*address), origin});
}

} // namespace

result<std::optional<chosen_proxy>> choose_proxy(const std::string& url, const server_address& server,
                                                 const environment& env)
{
    if (url == no_proxy) return std::optional<chosen_proxy>();
    if (!url.empty()) return parsed(url, "proxy-url");
    const auto selected =
        server.tls ? first_of(env, {"HTTPS_PROXY", "https_proxy"}) : first_of(env, {"HTTP_PROXY", "http_proxy"});
    if (selected.value.empty() || is_this_machine(server.host)) return std::optional<chosen_proxy>();
    if (is_excepted(first_of(env, {"NO_PROXY", "no_proxy"}).value, server)) return std::optional<chosen_proxy>();
    // A web server passes the header "Proxy" of a request to its CGI programs in this variable.
    if (!server.tls && !first_of(env, {"REQUEST_METHOD"}).value.empty())
        return failure(cond::misconfigured, selected.name + " is not used in a CGI program: a request can set it");
    const bool has_scheme = selected.value.find("://") != std::string::npos;
    return parsed(has_scheme ? selected.value : "http://" + selected.value, selected.name);
}

} // namespace kubecoro::detail
