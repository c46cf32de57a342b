// Semantic versions.
#pragma once

#include "library/functions.hpp"

#include <optional>

namespace kubecoro::cel::detail {

/// -1, 0 or 1; nothing if one of them is no version.
[[nodiscard]] std::optional<int> compare_versions(const value& a, const value& b);

} // namespace kubecoro::cel::detail
