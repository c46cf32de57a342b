#pragma once
// Validates impersonation settings and builds their request headers. Sans-io.

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** A user id, groups or extra data require a user. Without one they would be left out of the requests, which would then
    run with the full rights of the credentials.

    @par Errors  cond::misconfigured. */
[[nodiscard]] result<> check_impersonation(const impersonation& as);

/// The headers for a request. Precondition: check_impersonation() succeeds. Empty when impersonation is off.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> impersonation_headers(const impersonation& as);

} // namespace kubecoro::detail
