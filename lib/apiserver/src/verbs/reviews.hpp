// Reviews: questions about users and permissions that a POST asks and its answer replies to. Nothing is stored.
#pragma once

#include "verbs/authorization.hpp"
#include "verbs/exchange.hpp"

#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// A kind of review.
struct review_kind
{
    std::string_view api_version;
    std::string_view kind;
};

/// The kind that a request posts; null for any other request.
[[nodiscard]] const review_kind* review_of(const exchange& x);

[[nodiscard]] http_response answer_review(exchange& x, const review_kind& kind, authorizer& access);

} // namespace kubecoro::apiserver
