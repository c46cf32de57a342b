#include <kubecoro/http/detail/http_server.hpp>

#include <kubecoro/base/printable.hpp>

#include <charconv>
#include <optional>

namespace kubecoro::detail {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;

failure not_an_address(std::string_view text)
{
    return failure{cond::misconfigured, "listen on \"" + printable(text, 100) +
                                            "\": expected ADDRESS:PORT, PORT (of the loopback interface), :PORT "
                                            "(of every interface), or 0 for off"};
}

std::optional<std::uint16_t> port_of(std::string_view text)
{
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, port);
    if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return port;
}

} // namespace

result<listen_address> parse_listen_address(std::string_view text)
{
    listen_address out;
    if (text.empty() || text == "0") {
        out.off = true;
        return out;
    }
    const auto colon = text.rfind(':');
    const auto port = port_of(colon == text.npos ? text : text.substr(colon + 1));
    if (!port) return not_an_address(text);
    out.port = *port;
    std::string host(colon == text.npos ? "localhost" : text.substr(0, colon));
    out.everywhere = host.empty();
    if (out.everywhere) {
        out.address = address_v6::any();
        return out;
    }
    if (host == "localhost") {
        out.address = address_v4::loopback();
        return out;
    }
    const bool bracketed = host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    boost::system::error_code error;
    out.address = boost::asio::ip::make_address(host, error);
    if (error || out.address.is_v6() != bracketed) return not_an_address(text);
    return out;
}

std::string url_of(const address& at, std::uint16_t port, bool tls)
{
    const std::string host = at.is_v6() ? "[" + at.to_string() + "]" : at.to_string();
    return (tls ? "https://" : "http://") + host + ":" + std::to_string(port);
}

} // namespace kubecoro::detail
