// Answers the reviews of permissions.
#pragma once

#include "verbs/authorizer.hpp"
#include "verbs/exchange.hpp"

#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro::apiserver {

/** Completes a SelfSubjectAccessReview, SubjectAccessReview or LocalSubjectAccessReview.

    @param body  The review that was posted. @return its status. Errors: 400 and 422 for a question without a meaning. */
[[nodiscard]] answer<boost::json::value> review_access(const exchange& x, std::string_view kind,
                                                       const boost::json::value& body, authorizer& access);

/// The status of a SelfSubjectRulesReview: what the user of the request may do in a namespace. Errors: 400.
[[nodiscard]] answer<boost::json::value> review_rules(const exchange& x, const boost::json::value& body,
                                                      authorizer& access);

} // namespace kubecoro::apiserver
