// The request target taken apart: path segments, query, and what of the API they name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

struct parsed_target
{
    /// Decoded; an empty last one stands for a trailing slash and is dropped.
    std::vector<std::string> segments;
    /// Decoded, in order; `+` is a space.
    std::vector<std::pair<std::string, std::string>> query;
    /// The path as sent.
    std::string path;

    [[nodiscard]] bool has(std::string_view key) const noexcept;
    /// The first value of that key, empty when absent.
    [[nodiscard]] std::string_view value(std::string_view key) const noexcept;
    [[nodiscard]] std::vector<std::string> values(std::string_view key) const;
    /// Absent, "0" and "false" are false; anything else is true, as kube-apiserver reads booleans.
    [[nodiscard]] bool flag(std::string_view key) const noexcept;
};

/// Empty when the target is not an origin-form URL.
[[nodiscard]] std::optional<parsed_target> parse_target(std::string_view target);

/// What a path under /api or /apis names.
struct api_route
{
    bool is_resource = false;
    std::string group = {};
    std::string version = {};
    std::string ns = {};
    std::string plural = {};
    std::string name = {};
    std::string subresource = {};
    /// More segments than any resource has.
    bool too_long = false;
    /// The old form /api/v1/watch/...
    bool watch_prefix = false;
};

[[nodiscard]] api_route route_of(const parsed_target& target);

} // namespace kubecoro::apiserver
