// Finds the user that sends a request, and the user that a token stands for.
#pragma once

#include "verbs/exchange.hpp"

#include <kubecoro/apiserver/access.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The meaning of a bearer token for one of the audiences that were asked for.
struct token_verdict
{
    /// Empty: nothing.
    std::optional<user_info> user = {};
    /// Those of the audiences asked for that the token is meant for.
    std::vector<std::string> audiences = {};
    /// Why there is no user.
    std::string problem = {};
};

/// Checks a token of the access control or of a service account.
[[nodiscard]] token_verdict judge_token(const access_control& access, const exchange& x, std::string_view token,
                                        const std::vector<std::string>& audiences);

/// Authenticates a request by bearer token, else by client certificate (set by the front), else as anonymous. Empty: its
/// token proves nothing.
[[nodiscard]] std::optional<user_info> authenticate(const access_control& access, const exchange& x);

} // namespace kubecoro::apiserver
