#pragma once

#include <kubecoro/base/log.hpp>

#include <optional>

namespace kubecoro {

/// The threshold of standard error for a value of KUBECORO_LOG; empty = write nothing. Null, or a value that is not a
/// level, means warning.
[[nodiscard]] std::optional<log_level> standard_threshold(const char* wish) noexcept;

} // namespace kubecoro
