#pragma once
// Values and times as a kube-apiserver's messages show them, which Go's fmt and time print. A longer text than 1 MiB, or
// 1,024 bytes of a time, ends with "...".

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

} // namespace kubecoro::detail
