#pragma once
// The interface between HTTP and sockets: byte streams, and a connector that opens them.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// An open connection. Owned by one coroutine at a time; destroying it closes it.
class byte_stream
{
public:
    virtual ~byte_stream() = default;
    /// Returns the number of bytes read, 0 at a clean end. Errors: unreachable, timed_out, cancelled.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) = 0;
    /// Writes everything. Errors: unreachable, timed_out, cancelled; part of the bytes may then have been written.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> write(std::string_view bytes) = 0;
    /// Sets how long written bytes may stay unacknowledged before the connection counts as dead (unreachable or
    /// timed_out). A hint; where the system does not support it, other limits apply.
    virtual void set_patience(duration unacknowledged) noexcept = 0;
    /** Lets bytes gather for up to a millisecond before a read completes, for bodies of many small pieces. A hint.

        Reads then need a serialised executor. */
    virtual void set_bulk([[maybe_unused]] bool on) noexcept {}
    /// Whether the stream is open and no unexpected bytes have arrived, so it can carry another request.
    [[nodiscard]] virtual bool quiet() noexcept = 0;
};

/// Opens connections to one server. Thread safe.
class connector
{
public:
    virtual ~connector() = default;
    /// Errors: unreachable, timed_out, cancelled.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::unique_ptr<byte_stream>>> connect() = 0;
};

} // namespace kubecoro::detail
