#pragma once
// Values and times as the API server prints them in its refusals, which is as Go's fmt, time and encoding/json do. A longer
// text than 1 MiB, or 1,024 bytes of a time, ends with "...".

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// As fmt's `%v`: `map[a:[1 x <nil>]]`.
[[nodiscard]] std::string go_plain(const boost::json::value& value);

/// As fmt's `%#v`: `map[string]interface {}{"a":[]interface {}{1, "x", interface {}(nil)}}`.
[[nodiscard]] std::string go_syntax(const boost::json::value& value);

/// Returns why time.Parse does not take a text for a time of RFC 3339, in its words; empty if it does.
[[nodiscard]] std::optional<std::string> go_time_problem(std::string_view text);

/// The text in double quotes, as fmt's `%q`: what cannot be printed is escaped.
[[nodiscard]] std::string go_quoted(std::string_view text);

/// As fmt's `%v`.
[[nodiscard]] std::string go_number(double value);

/// Compact JSON with sorted members and escaped `<`, `>` and `&`, as encoding/json.
[[nodiscard]] std::string go_json(const boost::json::value& value);

/// A bad value in a refusal: texts by go_quoted(), numbers by go_number(), the rest by go_json().
[[nodiscard]] std::string go_value(const boost::json::value& value);

} // namespace kubecoro::detail
