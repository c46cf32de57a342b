// Chooses the next of the connections that wait for their TLS handshake, which costs a server more than anything else.
// Sans-io.
#pragma once

#include <kubecoro/base/clock.hpp>

#include <boost/asio/ip/address.hpp> // rule aside: a plain value

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>

namespace kubecoro::detail {

/// An IPv4 address, or the network of an IPv6 one: a host has any number of addresses there.
using client_id = std::array<unsigned char, 8>;
[[nodiscard]] client_id client_of(const boost::asio::ip::address& a);

/** Limits the handshakes of a second, with a fifth of them at once. Clients take turns, so that one that opens many
    connections delays its own; those of one client are served in their order. Not thread safe. */
class handshake_turns
{
public:
    /// Identifies a connection; never dereferenced.
    using waiter = const void*;

    /// @param a_second  0 = no limit.
    explicit handshake_turns(std::size_t a_second) noexcept;

    /// Whether a handshake may begin at once. Never while others wait.
    [[nodiscard]] bool take(time_point now) noexcept;
    void wait(const client_id& client, waiter who);
    /// Its wait is over, served or not.
    void leave(const client_id& client, waiter who) noexcept;
    /// The next one to begin its handshake, which counts as begun; null when it is not time yet, or none waits.
    [[nodiscard]] waiter next(time_point now);
    /// When next() has one; the largest when none waits.
    [[nodiscard]] time_point due() const noexcept;

private:
    [[nodiscard]] bool begin(time_point now) noexcept;

    const duration interval_;
    const duration burst_;
    /// When all handshakes that have begun would have, one after the other.
    time_point level_ = time_point::min();
    std::map<client_id, std::deque<waiter>> waiting_;
    client_id last_ = {};
};

} // namespace kubecoro::detail
