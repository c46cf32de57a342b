// The function `format` of texts, and those of lists that texts have under the same name.
#pragma once

#include "library/functions.hpp"

#include <string_view>
#include <vector>

namespace kubecoro::cel::detail {

/// Replaces the clauses of a text, such as `%s` and `%.2f`, by items.
[[nodiscard]] value format_text(resources& from, std::string_view pattern, const std::vector<value>& items);

[[nodiscard]] value list_index(resources& from, arguments in);
[[nodiscard]] value last_list_index(resources& from, arguments in);
[[nodiscard]] value reversed_list(resources& from, arguments in);

} // namespace kubecoro::cel::detail
