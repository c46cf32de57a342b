// The address that a server listens on, as text and parsed.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace kubecoro::detail {

struct listen_address
{
    /// Nothing is served.
    bool off = false;
    /// Every interface, of both protocols where there are both.
    bool everywhere = false;
    boost::asio::ip::address address = {};
    std::uint16_t port = 0;
};

/// Parses what endpoint_options::address describes. Errors: misconfigured.
[[nodiscard]] result<listen_address> parse_listen_address(std::string_view text);

/// "http://127.0.0.1:8080".
[[nodiscard]] std::string url_of(const boost::asio::ip::address& address, std::uint16_t port, bool tls);

} // namespace kubecoro::detail
