// The reviews that a user makes of itself: who it is, and what it may do.
#pragma once

#include "http/exchange.hpp"

#include <kubecoro/apiserver/access.hpp>

namespace kubecoro::apiserver {

/// True for a POST of a SelfSubjectReview or SelfSubjectAccessReview, which every authenticated user may make.
[[nodiscard]] bool is_self_review(const exchange& x);

[[nodiscard]] http_response answer_self_review(exchange& x, const access_control& access);

} // namespace kubecoro::apiserver
