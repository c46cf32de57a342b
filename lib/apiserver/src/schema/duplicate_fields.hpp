// Members that an object has twice, which a JSON parser keeps one of without a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Paths such as "spec.containers[0].name", at most a hundred. @param text  JSON that has been parsed before.
[[nodiscard]] std::vector<std::string> duplicate_fields(std::string_view text, std::size_t max_depth);

} // namespace kubecoro::apiserver
