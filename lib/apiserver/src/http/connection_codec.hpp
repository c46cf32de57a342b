// Parses HTTP/1.1 requests from bytes and formats responses as bytes. No I/O.
#pragma once

#include <kubecoro/apiserver/http_types.hpp>
#include <kubecoro/base/clock.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

struct http_limits
{
    /// Maximum size of the request line with the headers; also of one chunk's header and of the trailers.
    std::size_t head = 64 * 1024;
    /// Header lines of a request: impersonation has one for each group.
    std::size_t headers = 1000;
    std::size_t body = max_body_bytes;
};

/// Parses a sequence of requests from bytes that arrive in pieces of any size.
class request_reader
{
public:
    enum class state
    {
        idle,
        head,
        body,
        complete,
        head_too_large,
        body_too_large,
        unknown_coding,
        malformed
    };

    explicit request_reader(http_limits limits);
    ~request_reader();
    request_reader(request_reader&&) noexcept;
    request_reader& operator=(request_reader&&) = delete;

    /** Parses further bytes.

        @return the number of bytes consumed. Pass the rest again together with the bytes that follow: a head, a chunk's
        header and the trailers are consumed only when complete. Each is malformed once it exceeds limits.head; so is a
        body that is mostly framing. */
    std::size_t feed(std::string_view bytes);
    [[nodiscard]] state where() const noexcept;
    /// The request without its body. Valid from state::body on, until take(). Trailers are not included.
    [[nodiscard]] const http_request& head() const noexcept;
    /// Bytes of the body received so far.
    [[nodiscard]] std::size_t body_size() const noexcept;
    /// Returns true once per request whose client waits for "100 Continue".
    [[nodiscard]] bool wants_continue() noexcept;

    struct message
    {
        http_request content;
        bool keep_alive = true;
        /// HTTP/1.1 or later: the answer may be chunked.
        bool may_chunk = true;
    };
    /// Returns the complete request and resets the reader for the next one.
    [[nodiscard]] message take();

private:
    struct parser;
    http_limits limits_;
    std::unique_ptr<parser> parser_;
};

/// How the end of a response body is marked.
enum class framing
{
    length,
    chunked,
    until_close
};

/// Returns the status line and headers. @param length  Used with framing::length.
[[nodiscard]] std::string format_head(const http_response& head, framing frame, std::size_t length, bool keep_alive,
                                      wall_time now);
/// Appends one chunk. An empty one would end the body.
void append_chunk(std::string& out, std::string_view data);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";
inline constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

/// The response to a request that the reader rejected.
[[nodiscard]] http_response refuse(request_reader::state why, http_limits limits);
/// The response to a request whose body exceeds the byte budget: 429 with Retry-After.
[[nodiscard]] http_response too_many_requests();

} // namespace kubecoro::apiserver
