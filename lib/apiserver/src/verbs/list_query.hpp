// The options of lists and watches as they stand in a query, with kube-apiserver's checks.
#pragma once

#include "verbs/target.hpp"

#include <kubecoro/apiserver/status_error.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace kubecoro::apiserver {

struct list_query
{
    bool watch = false;
    std::string label_selector = {};
    std::string field_selector = {};
    /// As sent; "" when unset.
    std::string version = {};
    /// "", "Exact", "NotOlderThan".
    std::string match = {};
    std::int64_t limit = 0;
    std::string continue_token = {};
    bool bookmarks = false;
    std::optional<bool> send_initial_events = {};
    std::int64_t timeout_seconds = 0;
};

/// Errors: 400 and 422.
[[nodiscard]] answer<list_query> read_list_query(const parsed_target& target, bool watch);

/// A decimal version. Errors: Go's text about it, without a code yet.
[[nodiscard]] boost::system::result<std::uint64_t, std::string> parse_version(std::string_view text);

/// Where a page ends: the version of the list (or -1: the newest) and the key the next page starts at.
struct continue_point
{
    std::int64_t version = 0;
    /// Relative to the namespace (or the root), beginning with '/'.
    std::string start = {};
};

[[nodiscard]] std::string encode_continue(const continue_point& p);
/// Errors: 400.
[[nodiscard]] answer<continue_point> decode_continue(std::string_view token);

} // namespace kubecoro::apiserver
