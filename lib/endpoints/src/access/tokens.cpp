#include "access/tokens.hpp"

#include <kubecoro/base/try.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cctype>

namespace asio = boost::asio;
namespace json = boost::json;

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

namespace {

resource_type review_type(const char* group, const char* plural, const char* kind)
{
    resource_type out;
    out.group = group;
    out.version = "v1";
    out.plural = plural;
    out.kind = kind;
    out.namespaced = false;
    return out;
}

json::value token_review_of(std::string_view token, const std::vector<std::string>& audiences)
{
    json::object spec{{"token", token}};
    if (!audiences.empty()) spec["audiences"] = json::array(audiences.begin(), audiences.end());
    return {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenReview"}, {"spec", std::move(spec)}};
}

json::value access_review_of(const value_view& user, std::string_view path)
{
    json::object spec{{"nonResourceAttributes", {{"path", path}, {"verb", "get"}}},
                      {"user", user["username"].as_string()}};
    for (const char* same : {"uid", "groups", "extra"})
        if (user[same]) spec[same] = user[same].to_json();
    return {{"apiVersion", "authorization.k8s.io/v1"}, {"kind", "SubjectAccessReview"}, {"spec", std::move(spec)}};
}

/// As the API says: a server that does not know audiences answers without them, and a token of its own is then foreign.
bool has_audience(const value_view& status, const std::vector<std::string>& wanted)
{
    if (wanted.empty()) return true;
    for (const auto item : status["audiences"].items())
        if (std::find(wanted.begin(), wanted.end(), item.as_string()) != wanted.end()) return true;
    return false;
}

asio::awaitable<result<access_verdict>> review(const client& asks, const std::vector<std::string>& audiences,
                                               std::string token, std::string path)
{
    const auto tokens = review_type("authentication.k8s.io", "tokenreviews", "TokenReview");
    KUBECORO_TRY(const auto who, co_await asks.create(tokens, {}, token_review_of(token, audiences)));
    const auto status = who["status"];
    if (!status["authenticated"].as_bool() || !has_audience(status, audiences))
        co_return access_verdict::unauthenticated;
    const auto accesses = review_type("authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview");
    KUBECORO_TRY(const auto may, co_await asks.create(accesses, {}, access_review_of(status["user"], path)));
    const auto verdict = may["status"];
    const bool allowed = verdict["allowed"].as_bool() && !verdict["denied"].as_bool();
    co_return allowed ? access_verdict::allowed : access_verdict::forbidden;
}

} // namespace

access_reviewer reviewer_of(client asks, std::vector<std::string> audiences)
{
    return [asks = std::move(asks), audiences = std::move(audiences)](std::string token, std::string path) {
        // The coroutine has copies: the function may be gone before it ends.
        return [](client c, std::vector<std::string> a, std::string t,
                  std::string p) -> asio::awaitable<result<access_verdict>> {
            co_return co_await review(c, a, std::move(t), std::move(p));
        }(asks, audiences, std::move(token), std::move(path));
    };
}

} // namespace kubecoro::detail
