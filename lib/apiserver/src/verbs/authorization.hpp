// Authenticates and authorizes requests.
#pragma once

#include "verbs/exchange.hpp"

#include <optional>
#include <string>

namespace kubecoro::apiserver {

[[nodiscard]] bool wants_watch(const exchange& x);
/// The verb that the request needs a permission for.
[[nodiscard]] std::string verb_of(const exchange& x);

/// Authenticates and authorizes the request and sets the exchange's user. @return the refusal, if any.
[[nodiscard]] std::optional<http_response> judge(exchange& x);

/** Authorizes the creation of the object that the path names, for an update or apply that creates: the permission to
    update or patch does not suffice. @return the refusal, if any. */
[[nodiscard]] std::optional<http_response> judge_create(const exchange& x);

} // namespace kubecoro::apiserver
