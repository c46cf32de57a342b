#include "verbs/authentication.hpp"

#include "render/json_text.hpp"
#include "verbs/service_account_token.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view unknown = "invalid bearer token";

bool contains(const std::vector<std::string>& all, std::string_view one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

/// As Go prints a list of texts.
std::string list_of(const std::vector<std::string>& texts)
{
    std::string out = "[";
    for (const auto& t : texts) out += (out.size() > 1 ? " " : "") + quoted(t);
    return out + "]";
}

token_verdict refused(std::string_view why)
{
    return {{}, {}, "[" + std::string(unknown) + ", " + std::string(why) + "]"};
}

bool begins_with_bearer(std::string_view header)
{
    constexpr std::string_view scheme = "bearer ";
    return header.size() >= scheme.size() &&
           std::equal(scheme.begin(), scheme.end(), header.begin(), [](char a, char b) {
               return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
}

} // namespace

token_verdict judge_token(const access_control& access, const exchange& x, std::string_view token,
                          const std::vector<std::string>& audiences)
{
    if (auto user = access.authenticate(token, x.now)) {
        if (!contains(audiences, own_audience)) return {{}, {}, std::string(unknown)};
        return {std::move(user), {std::string(own_audience)}, {}};
    }
    const auto claims = verify_token(token, x.options.token_key);
    if (!claims) return {{}, {}, std::string(unknown)};
    token_verdict out;
    for (const auto& each : claims->audiences)
        if (contains(audiences, each)) out.audiences.push_back(each);
    if (out.audiences.empty())
        return refused("token audiences " + list_of(claims->audiences) + " is invalid for the target audiences " +
                       list_of(audiences));
    out.user = user_of_token(*claims, x.state, x.now);
    if (!out.user) return refused("service account token has been invalidated");
    return out;
}

std::optional<user_info> authenticate(const access_control& access, const exchange& x)
{
    const auto header = x.request.header("authorization");
    if (header.empty()) {
        if (!x.request.user) return access_control::anonymous();
        auto user = *x.request.user;
        if (!contains(user.groups, "system:authenticated")) user.groups.emplace_back("system:authenticated");
        return user;
    }
    if (!begins_with_bearer(header)) return access_control::anonymous();
    return judge_token(access, x, header.substr(7), {std::string(own_audience)}).user;
}

} // namespace kubecoro::apiserver
