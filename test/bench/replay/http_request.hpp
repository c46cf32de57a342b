// The requests of the replay server's clients: a head, no body.
#pragma once

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::bench {

/// The parsed head of an HTTP/1.1 request.
struct http_request
{
    std::string method;
    /// Decoded, without the query.
    std::string path;
    /// Decoded; the last value of a repeated name.
    std::map<std::string, std::string, std::less<>> query;
    std::string accept;
    /// Bytes of a body to skip.
    std::uint64_t content_length = 0;
    bool keep_alive = true;

    /// A query value; empty when absent.
    [[nodiscard]] std::string_view parameter(std::string_view name) const;
    /// Whether a query value is one that Go parses as true.
    [[nodiscard]] bool flag(std::string_view name) const;
    /// A query value as a number; none when it is absent, empty or not a number.
    [[nodiscard]] std::optional<std::uint64_t> number(std::string_view name) const;
};

/** Parses the head up to and without its empty line. Strict: rejects forms that no client of the bench sends.

    Errors: cond::invalid. */
[[nodiscard]] result<http_request> parse_http_request(std::string_view head);

} // namespace kubecoro::bench
