#pragma once
// Finds the proxy of a server, and the parts of its URL. Sans-io.

#include "address/server_address.hpp"

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// A proxy and the login for it, which is secret.
struct proxy_address
{
    enum class protocol
    {
        http,
        /// HTTP inside TLS, up to the proxy.
        https,
        /// RFC 1928; the proxy resolves the server's name.
        socks5
    };
    struct credentials
    {
        std::string username = {};
        std::string password = {};
    };

    protocol speaks = protocol::http;
    /// Without the brackets of an IPv6 address.
    std::string host = {};
    std::string port = {};
    std::optional<credentials> login = {};

    /// "the proxy host:port", for display; never the login.
    [[nodiscard]] std::string name() const;
    /// The value of a Proxy-Authorization header; empty without a login.
    [[nodiscard]] std::string authorization() const;

    /** Reads scheme://[user:password@]host[:port]; the schemes are http, https, socks5 and socks5h, which are the same.
        A path, query and fragment are ignored, as in Go.

        @par Errors  cond::misconfigured, without any part of the text. */
    [[nodiscard]] static result<proxy_address> parse(std::string_view url);
};

struct chosen_proxy
{
    proxy_address address = {};
    /// The source of the choice, for display: "proxy-url" or the name of a variable.
    std::string origin = {};
};

/// In the place of a proxy's URL: none, whatever the environment says. A kubeconfig cannot say it.
inline constexpr std::string_view no_proxy = "direct:";

/** The proxy for this server: none for no_proxy, `url` if it is not empty, else the one that the environment selects by the rules of Go's
    net/http.

    HTTPS_PROXY, or HTTP_PROXY for plain http, in upper case and then in lower case; "host:port" means http. None for
    loopback addresses and for hosts in NO_PROXY: names (with their subdomains; only these after a leading dot or
    `*.`), addresses and networks, names and addresses also with a port, and `*` for all.

    @param url   The cluster's own proxy; NO_PROXY does not apply to it.
    @par Errors  cond::misconfigured naming the source, never the URL. Go ignores a variable that it cannot read. */
[[nodiscard]] result<std::optional<chosen_proxy>> choose_proxy(const std::string& url, const server_address& server,
                                                               const environment& env);

} // namespace kubecoro::detail
