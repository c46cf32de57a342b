#pragma once

#include <kubecoro/base/log.hpp>

#include <optional>

namespace kubecoro {

/// The threshold of standard error that a value of KUBECORO_LOG asks for; empty = nothing is written. Null, or anything
/// that is not a level, is warning.
[[nodiscard]] std::optional<log_level> standard_threshold(const char* wish) noexcept;

} // namespace kubecoro
