#pragma once
// The waist between HTTP and sockets: bytes in, bytes out, and a way to open such a stream.

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
    /// Bytes read, 0 at a clean end. Errors: unreachable, timed_out, cancelled.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) = 0;
    /// Writes everything. Errors: unreachable, timed_out, cancelled; then a part of it may have been written.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> write(std::string_view bytes) = 0;
    /// How long the peer may leave what was written without an acknowledgement before the connection counts as dead:
    /// unreachable or timed_out. A hint; where the system cannot do it, other limits decide.
    virtual void set_patience(duration unacknowledged) noexcept = 0;
    /// Open, and nothing has come that nobody asked for: fit for another request.
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
