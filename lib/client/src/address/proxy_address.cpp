#include "address/proxy_address.hpp"

#include "address/server_address.hpp"
#include "http/encoding.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <array>
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
    return login ? "Basic " + base64_encode(login->username + ":" + login->password) : std::string();
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

} // namespace kubecoro::detail
