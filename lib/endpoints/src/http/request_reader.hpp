// Parses HTTP/1.1 requests without bodies from bytes. No I/O.
#pragma once

#include <kubecoro/client/detail/incoming_head.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The parts of a request that the server looks at.
struct request_head
{
    std::string method;
    std::string target;
    std::string host = {};
    std::string accept = {};
    std::string accept_encoding = {};
    std::string authorization = {};
    std::string fetch_site = {};
    bool keep_alive = true;
    /// HTTP/1.1: the client reads answers whose length is not known when they begin.
    bool reads_chunks = true;
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
        complete,
        malformed,
        head_too_large,
        /// The request announces a body.
        has_body
    };

    /// Header lines of a request.
    static constexpr std::size_t most_headers = 100;

    explicit request_reader(std::size_t max_head_bytes);

    /// Parses further bytes. @return the number of bytes consumed; pass the rest again with those that follow.
    std::size_t feed(std::string_view bytes);
    [[nodiscard]] state where() const noexcept { return where_; }
    /// The complete request. Resets the reader for the next one.
    [[nodiscard]] request_head take();

private:
    std::size_t limit_;
    state where_ = state::idle;
    std::unique_ptr<incoming_head> head_;
};

} // namespace kubecoro::detail
