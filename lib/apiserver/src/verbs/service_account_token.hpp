// Tokens of service accounts: JSON Web Tokens with a signature that only this server verifies.
#pragma once

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/apiserver/detail/http_types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The audience of tokens for this server, and their issuer.
inline constexpr std::string_view own_audience = "https://kubernetes.default.svc";

/// An object whose removal ends a token.
struct bound_object
{
    /// One of bindable_kinds; empty: none.
    std::string kind = {};
    std::string name = {};
    std::string uid = {};
};

/// The contents of a token. Times are seconds since 1970.
struct token_claims
{
    std::string ns;
    std::string account;
    std::string account_uid;
    /// Differs from token to token.
    std::string id;
    std::vector<std::string> audiences;
    std::int64_t issued = 0;
    std::int64_t expires = 0;
    bound_object bound = {};
};

/// Returns 32 unpredictable bytes.
[[nodiscard]] std::string random_token_key();

/// Returns the claims of a token that was signed with the key; empty for any other text.
[[nodiscard]] std::optional<token_claims> verify_token(std::string_view token, std::string_view key);

/// Returns the user that a token stands for, whatever its audiences; empty if it has expired, or if its account or the
/// object it is bound to is gone.
[[nodiscard]] std::optional<user_info> user_of_token(const token_claims& claims, const cluster_state_core& state,
                                                     wall_time now);

} // namespace kubecoro::apiserver
