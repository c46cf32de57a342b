// Requests: parses HTTP/1.1 without bodies from bytes, and the path, query and headers of each. Sans-io.
#pragma once

#include <kubecoro/client/detail/incoming_head.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

struct request_target
{
    /// As it was sent: paths of this server need no escapes, so one that has escapes matches none.
    std::string path;
    /// Names and values, decoded. A name without a value has an empty one.
    std::vector<std::pair<std::string, std::string>> query = {};

    [[nodiscard]] bool has(std::string_view name) const;
    /// The first value of that name; empty = none.
    [[nodiscard]] std::string_view value(std::string_view name) const;
    /// All values of that name.
    [[nodiscard]] std::vector<std::string> values(std::string_view name) const;
};

/// Empty when it is no path with a query, or has too many parameters.
[[nodiscard]] std::optional<request_target> parse_target(std::string_view text);

/// Whether an Accept header names JSON, and no text before it.
[[nodiscard]] bool prefers_json(std::string_view accept);

/// Whether a Host header is an address or localhost. A name that an attacker lets point to the loopback interface, so
/// that a browser reads it for a foreign page, is neither.
[[nodiscard]] bool is_local_host(std::string_view host);

} // namespace kubecoro::detail
