// JSON for people, and the members of JSON values by their paths.
#pragma once

#include <kubecoro/api/detail/written_json.hpp>

#include <boost/json/value.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace kubecoro::tool {

using detail::scalar_text;
using detail::to_json_text;

/// The member at the end of the path; null when a step is missing.
[[nodiscard]] const boost::json::value* find_member(const boost::json::value& v,
                                                    std::initializer_list<std::string_view> path);
/// Its text; empty when it is missing or not a string.
[[nodiscard]] std::string text_member(const boost::json::value& v, std::initializer_list<std::string_view> path);

} // namespace kubecoro::tool
