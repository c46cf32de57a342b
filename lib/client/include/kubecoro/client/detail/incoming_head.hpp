// The head of an HTTP/1.1 request, checked as RFC 9112 asks, for the library's own servers. Sans-io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** Reads one head from bytes that arrive in pieces of any size.

    Two servers that find different ends of a request take the bytes of a client for requests of another one. So a head with
    two readings is refused: line ends other than CRLF, folded lines, white space before a colon, control characters, more than
    one Host, a body with more than one length. */
class incoming_head
{
public:
    enum class state
    {
        idle,
        /// A part of a head has arrived.
        partial,
        complete,
        /// The end of the request is unknown: 400, and nothing that follows is read.
        malformed,
        /// The end is known, but not the coding of the body: 501.
        unknown_coding,
        too_large
    };

    /// @param max_bytes    Bytes of the request line and the headers.
    /// @param max_headers  Number of header lines.
    incoming_head(std::size_t max_bytes, std::size_t max_headers) noexcept;
    incoming_head(const incoming_head&) = delete;
    incoming_head& operator=(const incoming_head&) = delete;

    /// Parses further bytes. @return the number of bytes consumed; pass the rest again with those that follow. Nothing after
    /// the head is consumed.
    std::size_t feed(std::string_view bytes);
    [[nodiscard]] state where() const noexcept { return where_; }

    // Those below are for a complete head.

    /// The request line and the headers, with their empty line.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] std::string_view method() const noexcept { return method_; }
    /// In origin form: clients that take the server for a proxy send the absolute one.
    [[nodiscard]] const std::string& target() const noexcept { return target_; }
    /// The host of an absolute target, otherwise the Host header.
    [[nodiscard]] std::string_view host() const noexcept { return host_; }
    /// Names as they were sent, and values without the white space around them.
    using field = std::pair<std::string_view, std::string_view>;
    [[nodiscard]] const std::vector<field>& fields() const noexcept { return fields_; }
    /// The first value of that name; empty = none. @param name  In any case.
    [[nodiscard]] std::string_view value(std::string_view name) const noexcept;
    /// Whether a body follows, in chunks.
    [[nodiscard]] bool chunked() const noexcept { return chunked_; }
    /// Bytes of the body that follows.
    [[nodiscard]] std::uint64_t content_length() const noexcept { return content_length_; }
    /// HTTP/1.1: the client reads chunks.
    [[nodiscard]] bool reads_chunks() const noexcept { return minor_version_ >= 1; }
    [[nodiscard]] bool keep_alive() const noexcept { return keep_alive_; }

private:
    /// Looks for the end of the head. @return bytes up to it; 0 = not there yet, or where() is a refusal.
    std::size_t find_end(std::string_view bytes);
    [[nodiscard]] state parse();
    [[nodiscard]] bool parse_request_line(std::string_view line);
    [[nodiscard]] bool parse_field(std::string_view line);
    [[nodiscard]] bool parse_host();
    [[nodiscard]] state parse_framing();
    [[nodiscard]] bool parse_keep_alive() const;

    const std::size_t max_bytes_;
    const std::size_t max_headers_;
    state where_ = state::idle;
    /// Bytes of the head that were looked at, begin of their last line, and number of lines before it.
    std::size_t seen_ = 0, line_ = 0, lines_ = 0;
    bool skipped_line_ = false;

    std::string text_ = {};
    std::string_view method_ = {};
    std::string target_ = {};
    std::string_view host_ = {};
    std::vector<field> fields_ = {};
    std::uint64_t content_length_ = 0;
    int minor_version_ = 1;
    bool chunked_ = false;
    bool keep_alive_ = true;
};

} // namespace kubecoro::detail
