#include <kubecoro/apiserver/access.hpp>

#include <algorithm>

namespace kubecoro::apiserver {

void access_control::add_token(std::string token, user_info user, std::optional<wall_time> expires)
{
    remove_token(token);
    tokens_.push_back({std::move(token), std::move(user), expires});
}

void access_control::remove_token(std::string_view token)
{
    std::erase_if(tokens_, [&](const auto& e) { return e.token == token; });
}

namespace {

/// Compares in constant time for texts of equal length.
bool same_secret(std::string_view a, std::string_view b) noexcept
{
    if (a.size() != b.size()) return false;
    unsigned char difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = static_cast<unsigned char>(difference |
                                                (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
    return difference == 0;
}

bool fits(std::string_view wanted, std::string_view value)
{
    return wanted.empty() || wanted == "*" || wanted == value;
}

bool fits_resource(std::string_view wanted, const access_request& asked)
{
    if (wanted.empty() || wanted == "*") return true;
    const auto slash = wanted.find('/');
    const auto subresource = slash == std::string_view::npos ? std::string_view{} : wanted.substr(slash + 1);
    const auto dot = wanted.find('.');
    const auto plural = wanted.substr(0, std::min(slash, dot));
    if (plural != asked.resource || subresource != asked.subresource) return false;
    return dot == std::string_view::npos || wanted.substr(dot + 1, slash - dot - 1) == asked.group;
}

} // namespace

std::optional<user_info> access_control::authenticate(std::string_view token, wall_time now) const
{
    for (const auto& e : tokens_)
        if (same_secret(e.token, token) && (!e.expires || now < *e.expires)) {
            auto user = e.user;
            user.groups.emplace_back("system:authenticated");
            return user;
        }
    return {};
}

bool access_control::allows(const user_info& user, const access_request& asked) const
{
    for (const auto& rule : rules_)
        if (fits(rule.user, user.name) && fits(rule.verb, asked.verb) && fits_resource(rule.resource, asked) &&
            (rule.resource.empty() || !asked.resource.empty()) && fits(rule.ns, asked.ns))
            return rule.allow;
    const auto member = [&](std::string_view group) {
        return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
    };
    if (member("system:masters")) return true;
    if (!asked.resource.empty()) return false;
    const std::string_view path = asked.path;
    for (const std::string_view open : {"/version", "/healthz", "/livez", "/readyz"})
        if (path == open || path.starts_with(std::string(open) + "/")) return true;
    return member("system:authenticated") && asked.verb == "get" &&
           (path == "/" || path == "/api" || path.starts_with("/api/") || path == "/apis" ||
            path.starts_with("/apis/") || path.starts_with("/openapi"));
}

user_info access_control::anonymous() { return {"system:anonymous", {"system:unauthenticated"}, {}}; }

} // namespace kubecoro::apiserver
