// Parses the query options of lists and watches, with kube-apiserver's checks.
#pragma once

#include "request/target.hpp"

#include <kubecoro/apiserver/status_error.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace kubecoro::apiserver {

struct list_query
{
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

/// Reads an integer; nothing if there is no such parameter. Errors: 400.
[[nodiscard]] answer<std::optional<std::int64_t>> int_parameter(const parsed_target& target, std::string_view key);

/// Errors: 400 and 422.
[[nodiscard]] answer<list_query> read_list_query(const parsed_target& target, bool watch);

/// Parses a decimal version. Errors have Go's wording; the caller adds the code.
[[nodiscard]] boost::system::result<std::uint64_t, detail::problem_words> parse_version(std::string_view text);

/// The contents of a continue token: the version of the list (-1: the newest) and the first key of the next page.
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
