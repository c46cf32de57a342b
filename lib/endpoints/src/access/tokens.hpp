// Tokens of clients: the keyed hash that is kept in their place, and the question to an API server about them.
#pragma once

#include "access/access_core.hpp"

#include <kubecoro/endpoints/access_filter.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/// HMAC-SHA-256 with a key that no one else has.
class token_hash
{
public:
    /// Errors: the system has no random bytes.
    [[nodiscard]] static result<token_hash> make();
    [[nodiscard]] access_digest of(std::string_view token, std::string_view path) const;

private:
    token_hash() = default;
    std::array<unsigned char, 32> key_{};
};

/// The token of an Authorization header; empty if it has none, or one that cannot be a token.
[[nodiscard]] std::string_view bearer_token(std::string_view authorization);

/// Sends a TokenReview, and a SubjectAccessReview if the token is good.
[[nodiscard]] access_reviewer reviewer_of(client asks, std::vector<std::string> audiences);

} // namespace kubecoro::detail
