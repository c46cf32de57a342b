// The path, the query and some headers of a request. Sans-io.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

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
