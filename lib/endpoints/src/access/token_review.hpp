// Asks an API server for the user of a token, and whether that user may read a path.
#pragma once

#include <kubecoro/endpoints/access_filter.hpp>

namespace kubecoro::detail {

/// Sends a TokenReview, and a SubjectAccessReview if the token is good.
[[nodiscard]] access_reviewer reviewer_of(client asks, std::vector<std::string> audiences);

} // namespace kubecoro::detail
