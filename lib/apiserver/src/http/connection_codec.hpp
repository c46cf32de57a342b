// HTTP/1.1 as bytes in and values out, and the other way round. No I/O.
#pragma once

#include <kubecoro/apiserver/http_types.hpp>
#include <kubecoro/base/clock.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

struct http_limits
{
    /// Of the request line with the headers; also of one chunk's header and of the trailers.
    std::size_t head = 64 * 1024;
    std::size_t body = max_body_bytes;
};

/// Reads one request after the other from bytes in any chunking.
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
        malformed
    };

    explicit request_reader(http_limits limits);
    ~request_reader();
    request_reader(request_reader&&) noexcept;
    request_reader& operator=(request_reader&&) = delete;

    /** @return how many bytes were used. The rest is to be given again with what follows: a head is taken when whole, and
        so are a chunk's header and the trailers. Each of them is malformed once it is longer than limits.head, and so is
        a body that is mostly framing. */
    std::size_t feed(std::string_view bytes);
    [[nodiscard]] state where() const noexcept;
    /// The request without its body. Valid from state::body on, until take(). Trailers are not part of it.
    [[nodiscard]] const http_request& head() const noexcept;
    /// Bytes of the body that are held.
    [[nodiscard]] std::size_t body_size() const noexcept;
    /// True once, when the client waits for permission to send its body.
    [[nodiscard]] bool wants_continue() noexcept;

    struct message
    {
        http_request content;
        bool keep_alive = true;
        /// HTTP/1.1 or later: the answer may be chunked.
        bool may_chunk = true;
    };
    /// The complete request; the reader is ready for the next.
    [[nodiscard]] message take();

private:
    struct parser;
    http_limits limits_;
    std::unique_ptr<parser> parser_;
};

/// How the end of an answer's body is told.
enum class framing
{
    length,
    chunked,
    until_close
};

/// Status line and headers. @param length  For framing::length.
[[nodiscard]] std::string format_head(const http_response& head, framing frame, std::size_t length, bool keep_alive,
                                      wall_time now);
/// Appends one chunk; `data` must not be empty.
void append_chunk(std::string& out, std::string_view data);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";
inline constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

/// The answer to a request that the reader refused.
[[nodiscard]] http_response refuse(request_reader::state why, http_limits limits);
/// The answer to a request for whose body there is no room now: 429 and when to try again.
[[nodiscard]] http_response too_many_requests();

} // namespace kubecoro::apiserver
