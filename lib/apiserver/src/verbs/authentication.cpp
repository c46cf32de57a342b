#include "verbs/authentication.hpp"

#include "text/json_text.hpp"
#include "verbs/service_account_token.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view unknown = "invalid bearer token";

bool contains(const std::vector<std::string>& all, std::string_view one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

token_verdict refused(std::string_view why)
{
    return {{}, {}, "[" + std::string(unknown) + ", " + std::string(why) + "]"};
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// The token of an Authorization header: what is between the first space and the next. Empty if there is none.
std::string_view bearer_token(std::string_view header)
{
    constexpr std::string_view scheme = "bearer ";
    header = trimmed(header);
    const bool bears =
        header.size() >= scheme.size() && std::equal(scheme.begin(), scheme.end(), header.begin(), [](char a, char b) {
            return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
        });
    if (!bears) return {};
    header.remove_prefix(scheme.size());
    return header.substr(0, header.find(' '));
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
    const std::set<std::string_view> asked(audiences.begin(), audiences.end());
    for (const auto& each : claims->audiences)
        if (asked.contains(each)) out.audiences.push_back(each);
    if (out.audiences.empty())
        return refused("token audiences " + quoted_list(claims->audiences) + " is invalid for the target audiences " +
                       quoted_list(audiences));
    out.user = user_of_token(*claims, x.state, x.now);
    if (!out.user) return refused("service account token has been invalidated");
    return out;
}

std::optional<user_info> authenticate(const access_control& access, const exchange& x)
{
    // Whom the connection's certificate names needs no token: one beside it is not looked at, even if it is not valid.
    if (x.request.user && !x.request.user->name.empty()) {
        auto user = *x.request.user;
        if (!contains(user.groups, "system:authenticated")) user.groups.emplace_back("system:authenticated");
        return user;
    }
    const auto token = bearer_token(x.request.header("authorization"));
    if (token.empty()) return access_control::anonymous();
    return judge_token(access, x, token, {std::string(own_audience)}).user;
}

} // namespace kubecoro::apiserver
