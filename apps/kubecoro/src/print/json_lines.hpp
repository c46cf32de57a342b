// JSON for people: indented, with numbers as they are usually written.
#pragma once

#include <boost/json/value.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace kubecoro::tool {

/// Indented by four spaces, as kubectl does, with a line break at the end. Safe for a terminal: see escaped_json().
[[nodiscard]] std::string to_json_text(const boost::json::value& v);

/// Compact JSON in one line without its end. Safe for a terminal.
[[nodiscard]] std::string to_json_line(const boost::json::value& v);

/// A number, boolean or null as JSON, a string without quotes; for objects and arrays compact JSON.
[[nodiscard]] std::string scalar_text(const boost::json::value& v);

/// The member at the end of the path; null when a step is missing.
[[nodiscard]] const boost::json::value* find_member(const boost::json::value& v,
                                                    std::initializer_list<std::string_view> path);
/// Its text; empty when it is missing or not a string.
[[nodiscard]] std::string text_member(const boost::json::value& v, std::initializer_list<std::string_view> path);

} // namespace kubecoro::tool
