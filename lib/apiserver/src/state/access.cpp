#include <kubecoro/apiserver/detail/access_control.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

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

constexpr std::string_view authenticated_users = "system:authenticated";

bool is_member(const user_info& user, std::string_view group)
{
    return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
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
            if (!is_member(user, authenticated_users)) user.groups.emplace_back(authenticated_users);
            return user;
        }
    return {};
}

namespace {

/// The reviews that every user may make, of itself.
constexpr std::pair<std::string_view, std::string_view> self_reviews[]{
    {"authentication.k8s.io", "selfsubjectreviews"},
    {"authorization.k8s.io", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectrulesreviews"},
};

bool is_self_review(const access_request& asked)
{
    const std::pair<std::string_view, std::string_view> resource{asked.group, asked.resource};
    return asked.verb == "create" && asked.subresource.empty() &&
           std::find(std::begin(self_reviews), std::end(self_reviews), resource) != std::end(self_reviews);
}

/// Paths that everybody may read, with what is below them, and those that authenticated users may read as well.
constexpr std::string_view open_paths[]{"/version", "/healthz", "/livez", "/readyz"};
constexpr std::string_view discovery_paths[]{"/", "/api", "/apis", "/openapi"};

bool is_below(std::string_view path, std::string_view root)
{
    return path == root || (path.starts_with(root) && path[root.size()] == '/' && root != "/");
}

} // namespace

std::optional<bool> access_control::verdict(const user_info& user, const access_request& asked) const
{
    for (const auto& rule : rules_)
        if (fits(rule.user, user.name) && fits(rule.verb, asked.verb) && fits_resource(rule.resource, asked) &&
            (rule.resource.empty() || !asked.resource.empty()) && fits(rule.ns, asked.ns))
            return rule.allow;
    return {};
}

bool access_control::allows(const user_info& user, const access_request& asked) const
{
    if (const auto decided = verdict(user, asked)) return *decided;
    if (is_member(user, "system:masters")) return true;
    const bool authenticated = is_member(user, authenticated_users);
    if (!asked.resource.empty()) return authenticated && is_self_review(asked);
    const auto leads_below = [&](std::string_view path) { return is_below(asked.path, path); };
    return asked.verb == "get" &&
           (std::any_of(std::begin(open_paths), std::end(open_paths), leads_below) ||
            (authenticated && std::any_of(std::begin(discovery_paths), std::end(discovery_paths), leads_below)));
}

access_summary access_control::summarize(const user_info& user, std::string_view ns) const
{
    access_summary out;
    for (const auto& rule : rules_) {
        if (!fits(rule.user, user.name) || !fits(rule.ns, ns)) continue;
        if (rule.allow)
            out.allowed.push_back(rule);
        else
            out.incomplete = true;
    }
    if (is_member(user, "system:masters")) out.allowed.push_back({});
    const bool authenticated = is_member(user, authenticated_users);
    if (authenticated)
        for (const auto& [group, resource] : self_reviews)
            out.allowed.push_back({true, {}, "create", std::string(resource) + "." + std::string(group)});
    for (const auto path : open_paths) out.paths.push_back({"get", std::string(path)});
    if (authenticated)
        for (const auto path : discovery_paths) out.paths.push_back({"get", std::string(path)});
    return out;
}

user_info access_control::anonymous() { return {"system:anonymous", {"system:unauthenticated"}, {}}; }

} // namespace kubecoro::apiserver
