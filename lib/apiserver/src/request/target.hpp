// Parses the request target into path segments, query, and API route.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

struct parsed_target
{
    /// The parts of the path between slashes. Empty ones at its end are dropped.
    std::vector<std::string> segments;
    /// Decoded, in order; `+` is a space. Parameters that cannot be decoded are left out.
    std::vector<std::pair<std::string, std::string>> query;
    /// Decoded: as for a kube-apiserver, an escaped slash is one.
    std::string path;

    [[nodiscard]] bool has(std::string_view key) const noexcept;
    /// The first value of the key; empty when absent.
    [[nodiscard]] std::string_view value(std::string_view key) const noexcept;
    [[nodiscard]] std::vector<std::string> values(std::string_view key) const;
    /// False when absent, "0", or "false" in any case; otherwise true, as in kube-apiserver.
    [[nodiscard]] bool flag(std::string_view key) const noexcept;
};

/// Empty if the target is no path, with or without a query. It may have any printable text, also what clients should
/// escape.
[[nodiscard]] std::optional<parsed_target> parse_target(std::string_view target);

/// The parts of a path under /api or /apis.
struct api_route
{
    bool is_resource = false;
    std::string group = {};
    std::string version = {};
    std::string ns = {};
    std::string plural = {};
    std::string name = {};
    std::string subresource = {};
    /// True when the path has segments after the subresource.
    bool too_long = false;
    /// True for the deprecated form /api/v1/watch/...
    bool watch_prefix = false;
};

[[nodiscard]] api_route route_of(const parsed_target& target);

} // namespace kubecoro::apiserver
