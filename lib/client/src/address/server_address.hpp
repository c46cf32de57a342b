#pragma once
// The parts of a server's URL, and whether its responses are worth compressing. Sans-io.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client_options.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// A host name or address as written before a port: IPv6 addresses in brackets.
[[nodiscard]] std::string bracketed(const std::string& host);

/// An IPv4 or IPv6 address, without brackets and zone.
[[nodiscard]] bool is_address(const std::string& host);

/** Whether a server or its certificate can have this name: an address, or labels of letters, digits, `-` and `_` between
    dots, which may be followed by a dot. Others are refused wherever they come from: OpenSSL, for example, takes one that
    begins with a dot for all names below it. */
[[nodiscard]] bool is_host(const std::string& host);

/** Whether a URL's host may be used: it has no percent-encoded byte, which could end a line of a request or be of another
    part of the URL. Go refuses those below 0x80. @param host  As written. */
[[nodiscard]] bool is_plain_host(std::string_view host);

/// The parts of a server URL.
struct server_address
{
    bool tls = true;
    /// Without the brackets of an IPv6 address.
    std::string host = {};
    std::string port = {};
    /// Path prefix of every target, without a trailing slash.
    std::string prefix = {};

    /// "host:port" for the Host header; the port is omitted when it is the scheme's default.
    [[nodiscard]] std::string authority() const;

    /// "host:port" for display, always with the port.
    [[nodiscard]] std::string endpoint() const;

    /// Errors: cond::misconfigured for anything but http(s)://host[:port][/path].
    [[nodiscard]] static result<server_address> parse(std::string_view url);
};

/** The URL of "host" or "host:port", also with a slash at the end, as client-go completes them; another text is returned
    unchanged.

    @param tls  Whether it is an https URL: if there are settings for TLS. */
[[nodiscard]] std::string with_scheme(const std::string& server, bool tls);

/** True for a server that is close by: a private, shared, loopback or link-local address (RFC 1918, 100.64/10, 127/8,
    169.254/16, fc00::/7, fe80::/10, ::1), a name without a dot, and names ending in .svc, .cluster.local or .localhost.
    Names are not resolved. */
[[nodiscard]] bool is_near(const std::string& host);

/// @param disabled  The cluster's disable-compression, which has precedence.
[[nodiscard]] bool wants_gzip(compression policy, bool disabled, const std::string& host);

} // namespace kubecoro::detail
