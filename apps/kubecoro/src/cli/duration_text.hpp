// Lengths of time as users type them.
#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <string_view>

namespace kubecoro::tool {

/// Reads "90s", "5m", "1h30m", "500ms", "2d", or "0". At most ten years. Errors: cond::invalid, naming the text.
[[nodiscard]] result<duration> parse_duration(std::string_view text);

} // namespace kubecoro::tool
