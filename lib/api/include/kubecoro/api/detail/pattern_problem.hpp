// Regular expressions in schemas of custom resources.
#pragma once

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Returns why a regular expression does not compile, in the words of Go's regexp; empty if it does.
[[nodiscard]] std::string pattern_problem(std::string_view text);

} // namespace kubecoro::detail
