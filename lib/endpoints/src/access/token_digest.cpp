#include "access/token_digest.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cctype>

namespace kubecoro::detail {

result<token_hash> token_hash::make()
{
    token_hash out;
    if (RAND_bytes(out.key_.data(), static_cast<int>(out.key_.size())) != 1)
        return failure{cond::internal, "the system has no random bytes"};
    return out;
}

access_digest token_hash::of(std::string_view token, std::string_view path) const
{
    // Tokens contain no line ends, so the two parts cannot be confused.
    std::string text(path);
    text += '\n';
    text += token;
    access_digest out{};
    unsigned int size = 0;
    HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), out.data(), &size);
    return out;
}

std::string_view bearer_token(std::string_view authorization)
{
    constexpr std::string_view scheme = "bearer ";
    const auto same = [](char wanted, char c) { return std::tolower(static_cast<unsigned char>(c)) == wanted; };
    if (authorization.size() <= scheme.size() || !std::equal(scheme.begin(), scheme.end(), authorization.begin(), same))
        return {};
    authorization.remove_prefix(authorization.find_first_not_of(' ', scheme.size() - 1));
    // The b64token of RFC 6750.
    const bool plausible = std::all_of(authorization.begin(), authorization.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("-._~+/=").find(c) != std::string_view::npos;
    });
    return plausible ? authorization : std::string_view();
}

} // namespace kubecoro::detail
