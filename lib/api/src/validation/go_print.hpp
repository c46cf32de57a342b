// Values as the API server prints them in its refusals, which is as Go's fmt and encoding/json do.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The text in double quotes, as fmt's `%q`: what cannot be printed is escaped.
[[nodiscard]] std::string go_quoted(std::string_view text);

/// As fmt's `%v`.
[[nodiscard]] std::string go_number(double value);

/// Compact JSON with sorted members and escaped `<`, `>` and `&`, as encoding/json.
[[nodiscard]] std::string go_json(const boost::json::value& value);

/// A bad value in a refusal: texts by go_quoted(), numbers by go_number(), the rest by go_json().
[[nodiscard]] std::string go_value(const boost::json::value& value);

} // namespace kubecoro::detail
