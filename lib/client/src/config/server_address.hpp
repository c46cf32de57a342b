#pragma once

#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// A host name or address as it precedes a port: IPv6 addresses in brackets.
[[nodiscard]] std::string bracketed(const std::string& host);

/// A server URL taken apart. Sans-io.
struct server_address
{
    bool tls = true;
    /// Without the brackets of an IPv6 address.
    std::string host = {};
    std::string port = {};
    /// Path before every target, without a slash at its end.
    std::string prefix = {};

    /// "host:port" as a Host header has it, the port left out when it is the scheme's own.
    [[nodiscard]] std::string authority() const;

    /// "host:port" for people, the port always there.
    [[nodiscard]] std::string endpoint() const;

    /// Errors: cond::misconfigured for anything but http(s)://host[:port][/path].
    [[nodiscard]] static result<server_address> parse(std::string_view url);
};

} // namespace kubecoro::detail
