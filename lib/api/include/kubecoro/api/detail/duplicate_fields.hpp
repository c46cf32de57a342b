// Finds duplicate members of JSON objects, of which a JSON parser silently keeps one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Returns at most 100 paths such as "spec.containers[0].name". @param text  JSON that was parsed successfully before.
[[nodiscard]] std::vector<std::string> duplicate_fields(std::string_view text, std::size_t max_depth);

} // namespace kubecoro::detail
