#pragma once

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/// Status line and headers of a response. Names are lower case.
struct answer_head
{
    /// The HTTP status code.
    int status = 0;
    /// Names and values as they were sent, in order.
    std::vector<std::pair<std::string, std::string>> headers = {};

    /// The first header of that (lower-case) name, empty when absent.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

/** A response whose body is read piece by piece. Owned by one coroutine at a time; destroying it early drops the
    connection. */
class answer
{
public:
    virtual ~answer() = default;
    /// Status and headers.
    [[nodiscard]] virtual const answer_head& head() const noexcept = 0;

    /** The next bytes of the body, as they arrive; empty at its clean end. Valid until the next call or destruction.

        @par Errors        unreachable when the body is cut off, timed_out, cancelled.
        @par Cancellation  terminal, partial: the connection is closed. */
    [[nodiscard]] virtual boost::asio::awaitable<result<std::string_view>> read_some() = 0;

    /** Bytes of the body that have already arrived after those of the last call, without waiting; empty when there
        are none. The end of the body and errors are reported by read_some(). Valid as long as the result of
        read_some(). */
    [[nodiscard]] virtual std::string_view read_arrived() { return {}; }

    /** Whether read_arrived(), which has just returned nothing, has come to the clean end of the body. False: read_some()
        tells. */
    [[nodiscard]] virtual bool at_end() const noexcept { return false; }

    /** A hint: on = throughput counts, so read_some() may wait up to a millisecond for more bytes than the first ones.
        For long lists, and for watches whose events are mostly passed over. Its caller's executor must run one handler
        at a time. */
    virtual void read_in_bulk([[maybe_unused]] bool on) noexcept {}

    /** A hint: the caller continues elsewhere after the end of the body, as a watch does. The transport may then end it at
        any time, for instance because the connection's client certificate has been replaced: read_some() reports a clean
        end, and ended_early() is true. */
    virtual void may_end_early() noexcept {}

    /// Whether the body was ended by the transport, perhaps in the middle of a line.
    [[nodiscard]] virtual bool ended_early() const noexcept { return false; }
};

/** Carries requests to a server: over sockets with TLS, in process to the embedded server, or either with injected
    faults.

    Thread safe unless an implementation states otherwise. */
class transport
{
public:
    virtual ~transport() = default;

    /** Sends one request and completes when the head of the response has arrived, whatever its status code.

        @par Errors        unreachable, timed_out, cancelled, corrupt. A status code is never a failure.
        @par Cancellation  terminal, partial: the connection is closed.
        @par In flight     Any number. */
    [[nodiscard]] virtual boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) = 0;
};

} // namespace kubecoro
