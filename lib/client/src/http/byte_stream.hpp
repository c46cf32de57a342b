#pragma once
// The interface between HTTP and sockets: byte streams, and a connector that opens them.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <optional>
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
    /** Completes when a read may find something, without a buffer for it: for streams that are idle for long. Nothing to
        await: read at once. Errors: as read_some(). */
    [[nodiscard]] virtual std::optional<boost::asio::awaitable<result<>>> pause() { return {}; }
    /// Writes everything. Errors: unreachable, timed_out, cancelled; part of the bytes may then have been written.
    [[nodiscard]] virtual boost::asio::awaitable<result<>> write(std::string_view bytes) = 0;
    /// Sets how long written bytes may stay unacknowledged before the connection counts as dead (unreachable or
    /// timed_out). A hint; where the system does not support it, other limits apply.
    virtual void set_patience(duration unacknowledged) noexcept = 0;
    /** Lets bytes gather for up to a millisecond before a read completes, for bodies of many small pieces. A hint.

        Reads then need a serialised executor. */
    virtual void set_bulk([[maybe_unused]] bool on) noexcept {}
    /// Whether the stream may end as soon as retired() is true, although its peer keeps it open.
    virtual void set_may_end([[maybe_unused]] bool on) noexcept {}
    /// Whether there are newer settings for connections than those of this stream, such as another client certificate.
    [[nodiscard]] virtual bool retired() const noexcept { return false; }
    /// Whether its TLS uses keys of an earlier connection, without a full handshake.
    [[nodiscard]] virtual bool resumed() const noexcept { return false; }
    /// Makes the read that waits, and later ones, end as if the peer had closed. May be called in any thread.
    virtual void end_reads() noexcept {}
    /// Whether the stream is open and no unexpected bytes have arrived, so it can carry another request.
    [[nodiscard]] virtual bool quiet() noexcept = 0;
};

/// Opens connections to one server. Thread safe.
class connector
{
public:
    virtual ~connector() = default;
    /// Called before each request: looks for newer settings, and retires the streams that were opened with older ones. Nothing
    /// to await: there is no need to look.
    [[nodiscard]] virtual std::optional<boost::asio::awaitable<void>> refresh() { return {}; }
    /// Errors: unreachable, timed_out, cancelled.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::unique_ptr<byte_stream>>> connect() = 0;
};

} // namespace kubecoro::detail
