#pragma once
// Connections to an embedded server without sockets: HTTP in bytes, a few at a time, with a failure at the n-th of them.

#include "connect/tunnel_core.hpp"
#include "http/byte_stream.hpp"
#include "tls_peer.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/client/transport.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::test {

/// The ways in which an operation on a connection, or its opening, fails.
enum class io_failure
{
    /// Nothing of it happens, and the connection is broken. The connection is refused.
    broken,
    /// The peer has closed: bytes written get lost, reads are at the end.
    ended,
    /// Half of the bytes get through, then the connection is broken.
    half,
    /// Never completes.
    silent,
    /// The bytes written arrive, but the peer dies before it says so. The bytes read are garbage.
    odd
};

/// A test's view of all connections, shared with them.
struct served_wire
{
    std::shared_ptr<transport> server;
    /// Makes the conversation with a proxy in front of the server; empty = there is none.
    std::function<std::unique_ptr<detail::tunnel_core>()> tunnel = {};
    /// Both ends of TLS between the failures and the server; null = none. Not together with a tunnel.
    std::shared_ptr<const tls_ends> tls = {};
    /// Bytes of a read at most: small, so that heads and bodies come in several.
    std::size_t piece = 400;
    /// Operations so far: connections opened, writes, reads.
    std::size_t operations = 0;
    /// The number of the operation that fails; 0 = none.
    std::size_t fails_at = 0;
    io_failure how = io_failure::broken;
    /// The changes that the server was asked for, complete requests only: "POST /api/v1/... BODY".
    std::vector<std::string> changes = {};
    int open = 0;
    /// Never settled.
    latch never = {};

    [[nodiscard]] bool fails_now() noexcept { return ++operations == fails_at; }
};

[[nodiscard]] std::shared_ptr<detail::connector> make_served_connector(std::shared_ptr<served_wire> wire);

} // namespace kubecoro::test
