#include "connect/name_resolver.hpp"

#include <boost/asio/error.hpp>

#include <cerrno>
#include <memory>

#include <netdb.h>
#include <sys/socket.h>

namespace kubecoro::detail {

namespace {

/// More addresses than a client would ever try.
constexpr std::size_t most_addresses = 64;

failure lookup_failure(int error, const std::string& name)
{
    const auto doing = "look up " + name;
    switch (error) {
    case EAI_AGAIN:
        return {make_error_code(boost::asio::error::host_not_found_try_again), doing};
    case EAI_NONAME:
        return {make_error_code(boost::asio::error::host_not_found), doing};
    case EAI_SYSTEM:
        return {boost::system::error_code(errno, boost::system::system_category()), doing};
    default:
        return failure(cond::unreachable, doing + ": " + ::gai_strerror(error));
    }
}

lookup_result look_up(const std::string& name)
{
    ::addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    ::addrinfo* first = nullptr;
    const int error = ::getaddrinfo(name.c_str(), nullptr, &hints, &first);
    if (error != 0) return lookup_failure(error, name);
    const std::unique_ptr<::addrinfo, decltype(&::freeaddrinfo)> all(first, ::freeaddrinfo);
    std::vector<std::string> addresses;
    for (const auto* one = first; one && addresses.size() < most_addresses; one = one->ai_next) {
        char text[NI_MAXHOST];
        if (::getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
            addresses.emplace_back(text);
    }
    return addresses;
}

} // namespace

blocking_lookup system_lookup() { return look_up; }

} // namespace kubecoro::detail
