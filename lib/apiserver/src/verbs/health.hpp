// Answers /healthz, /livez and /readyz, and each of their checks below them.
#pragma once

#include "verbs/exchange.hpp"

#include <string_view>

namespace kubecoro::apiserver {

[[nodiscard]] bool is_health(std::string_view first_segment) noexcept;

/// The answer of one check, or of all but those that `exclude` names, which `verbose` lists.
[[nodiscard]] http_response health_response(const exchange& x);

} // namespace kubecoro::apiserver
