// The conditions under which admission webhooks are asked: expressions about a request.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <string>

namespace kubecoro::apiserver {

/// Why an expression cannot be a condition, in the words of a kube-apiserver; empty: it can be one.
[[nodiscard]] std::string condition_problem(const std::string& expression);

/** Evaluates the conditions of a webhook, within the cost that a kube-apiserver allows.

    @param conditions  Each with an expression. @param request  The member `request` of the webhook's review.
    @return whether none is false. Errors: cond::invalid, when none is false and some fail, or when they cost too much; in the
    words of a kube-apiserver. */
[[nodiscard]] result<bool> conditions_hold(const boost::json::array& conditions, const boost::json::object& request);

} // namespace kubecoro::apiserver
