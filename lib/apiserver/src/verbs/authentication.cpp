// Finds the user that sends a request, the user that a token stands for, and the one as whom a request asks to be answered.
#include "text/json_text.hpp"
#include "verbs/authorization.hpp"
#include "verbs/service_account_token.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view prefix = "impersonate-";
constexpr std::string_view extra_prefix = "extra-";
constexpr std::string_view account_prefix = "system:serviceaccount:";
constexpr std::string_view authentication = "authentication.k8s.io";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    const char l = lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/// Keys may hold characters that names of headers may not. Text that is not percent-encoded stays as it is.
std::string percent_decoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
        out += escape ? static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2])) : text[i];
        if (escape) i += 2;
    }
    return out;
}

/// The namespace and name of a service account; empty if the user is none.
std::optional<std::pair<std::string, std::string>> account_of(std::string_view user)
{
    if (!user.starts_with(account_prefix)) return {};
    user.remove_prefix(account_prefix.size());
    const auto colon = user.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == user.size()) return {};
    return std::pair{std::string(user.substr(0, colon)), std::string(user.substr(colon + 1))};
}

access_request permission(std::string_view group, std::string_view resource, std::string name, std::string ns = {})
{
    access_request asked{"impersonate", std::string(group), std::string(resource)};
    asked.name = std::move(name);
    asked.ns = std::move(ns);
    return asked;
}

bool has(const std::vector<std::string>& groups, std::string_view group)
{
    return std::find(groups.begin(), groups.end(), group) != groups.end();
}

/// A user has the groups that every user of its kind has.
void add_own_groups(user_info& user, bool names_groups)
{
    if (const auto account = account_of(user.name); account && !names_groups)
        user.groups = {"system:serviceaccounts", "system:serviceaccounts:" + account->first};
    const bool anonymous = user.name == "system:anonymous";
    const bool classed = has(user.groups, "system:authenticated") || has(user.groups, "system:unauthenticated");
    if (anonymous && !names_groups) user.groups.emplace_back("system:unauthenticated");
    if (!anonymous && !classed) user.groups.emplace_back("system:authenticated");
}

} // namespace

impersonation read_impersonation(const http_request& request)
{
    impersonation out;
    user_info user;
    std::map<std::string, std::vector<std::string>> extra;
    bool asks = false;
    for (const auto& [header, value] : request.headers) {
        const auto name = lowered(header);
        if (!name.starts_with(prefix) || value.empty()) continue;
        const auto what = std::string_view(name).substr(prefix.size());
        const bool known = what == "user" || what == "group" || what == "uid" || what.starts_with(extra_prefix);
        asks = asks || known;
        if (what == "user") user.name = value;
        if (what == "uid") user.uid = value;
        if (what == "group") user.groups.push_back(value);
        if (what.starts_with(extra_prefix))
            extra[lowered(percent_decoded(what.substr(extra_prefix.size())))].push_back(value);
    }
    if (!asks) return out;
    if (user.name.empty()) {
        out.problem = "requested impersonation without impersonating a user name";
        return out;
    }
    if (const auto account = account_of(user.name))
        out.needs.push_back(permission("", "serviceaccounts", account->second, account->first));
    else
        out.needs.push_back(permission("", "users", user.name));
    for (const auto& group : user.groups) out.needs.push_back(permission("", "groups", group));
    if (!user.uid.empty()) out.needs.push_back(permission(authentication, "uids", user.uid));
    for (const auto& [key, values] : extra)
        for (const auto& value : values) {
            auto need = permission(authentication, "userextras", value);
            need.subresource = key;
            out.needs.push_back(std::move(need));
        }
    add_own_groups(user, !user.groups.empty());
    user.extra.assign(extra.begin(), extra.end());
    out.user = std::move(user);
    return out;
}

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
    const auto claims = verify_token(token, x.token_key);
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
