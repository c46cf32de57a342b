// The formats that rules can name.
#pragma once

#include "library/functions.hpp"

#include <cstdint>

namespace kubecoro::cel::detail {

/// The size of the regular expression that stands for a format in costs; 0 for other values.
[[nodiscard]] std::uint64_t format_expression_size(const value& format);

} // namespace kubecoro::cel::detail
