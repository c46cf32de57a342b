#pragma once
// The parts of a proxy's URL. Sans-io.

#include <kubecoro/base/result.hpp>

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

} // namespace kubecoro::detail
