// Parses HTTP/1.1 requests with their bodies from bytes. Sans-io.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// One complete request.
struct incoming_request
{
    std::string method = {};
    /// In origin form, as it was sent otherwise: "/api/v1/pods?limit=500".
    std::string target = {};
    /// The host of an absolute target, otherwise the Host header.
    std::string host = {};
    /// Names in lower case.
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    bool keep_alive = true;
    /// HTTP/1.1: the client reads answers whose length is not known when they begin.
    bool may_chunk = true;

    /// The first header with this (lower-case) name; empty = none.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

/// The most that a request may have.
struct request_limits
{
    /// Bytes of the request line with the headers; also of one chunk's header and of the trailers.
    std::size_t head = 64 * 1024;
    /// Header lines.
    std::size_t headers = 100;
    /// Bytes of the body. 0 = a request that announces a body is refused.
    std::size_t body = 0;
};

/// Parses a sequence of requests from bytes that arrive in pieces of any size.
class request_reader
{
public:
    enum class state
    {
        idle,
        /// A part of a head has arrived.
        head,
        body,
        complete,
        head_too_large,
        body_too_large,
        /// The request announces a body, and none may have one.
        has_body,
        unknown_coding,
        malformed
    };

    explicit request_reader(const request_limits& limits) noexcept;
    ~request_reader();
    request_reader(request_reader&&) noexcept;
    request_reader& operator=(request_reader&&) = delete;

    /** Parses further bytes.

        @return the number of bytes consumed. Pass the rest again together with the bytes that follow: a head, a chunk's
        header and the trailers are consumed only when complete. Each is malformed once it exceeds limits.head; so is a
        body that is mostly framing. */
    std::size_t feed(std::string_view bytes);
    [[nodiscard]] state where() const noexcept { return where_; }
    /// The request without its body. Valid from state::body on, until take(). Trailers are not included.
    [[nodiscard]] const incoming_request& head() const noexcept;
    /// Bytes of the body received so far.
    [[nodiscard]] std::size_t body_size() const noexcept;
    /// Lowers the limit of the body that is being received; it is too large if it announces more, or once it has more.
    void limit_body(std::size_t bytes) noexcept;
    /// Returns true once per request whose client waits for "100 Continue".
    [[nodiscard]] bool wants_continue() noexcept;
    /// Returns the complete request and resets the reader for the next one.
    [[nodiscard]] incoming_request take();

private:
    struct parser;

    const request_limits limits_;
    state where_ = state::idle;
    /// Null between two requests: an idle connection costs no parser.
    std::unique_ptr<parser> parser_;
};

} // namespace kubecoro::detail
