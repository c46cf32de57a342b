// Authentication and authorization of the embedded API server: bearer tokens and an ordered list of rules.
#pragma once

#include <kubecoro/apiserver/cluster_options.hpp>
#include <kubecoro/base/clock.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// The attributes of a request, in the terms of Kubernetes authorization.
struct access_request
{
    /// get, list, watch, create, update, patch, delete, deletecollection; or the HTTP verb for a path. impersonate, of users,
    /// groups, serviceaccounts, uids and userextras/KEY of authentication.k8s.io, for a request as another user.
    std::string verb;
    /// The API group; empty for the core group.
    std::string group = {};
    /// Plural; empty for a non-resource path.
    std::string resource = {};
    /// The subresource; empty = none.
    std::string subresource = {};
    /// The namespace; empty = all, or a cluster-scoped resource.
    std::string ns = {};
    /// The object's name; empty = the collection.
    std::string name = {};
    /// The path of the request, percent-encoded and without the query. Decides only for requests without a resource.
    std::string path = {};
};

/// The permissions of a user in one namespace, as far as a list can say it.
struct access_summary
{
    /// Rules that allow. One without a resource allows all paths as well.
    std::vector<access_rule> allowed = {};
    /// Verbs and the paths that they are allowed for, with what is below them.
    std::vector<std::pair<std::string, std::string>> paths = {};
    /// True if rules forbid some of it.
    bool incomplete = false;
};

/** Tokens and rules. Not thread safe: used on the request handler's strand.

    The first matching rule decides. When no rule matches: members of `system:masters` may do everything; other users
    may only read /version, /healthz, /livez and /readyz; authenticated users may also read discovery and /openapi, and
    review themselves (SelfSubjectReview, SelfSubjectAccessReview, SelfSubjectRulesReview). The request handler adds the
    permissions that Roles and ClusterRoles of its cluster grant. */
class access_control
{
public:
    /// @param expires  The token is unknown (401) from this time on.
    void add_token(std::string token, user_info user, std::optional<wall_time> expires = {});
    /// Refuses the token from now on.
    void remove_token(std::string_view token);
    /// Adds a rule behind those that are there.
    void add_rule(access_rule rule) { rules_.push_back(std::move(rule)); }
    /// Removes all rules.
    void clear_rules() { rules_.clear(); }

    /// Returns the user of a token; empty when the token is unknown or expired.
    [[nodiscard]] std::optional<user_info> authenticate(std::string_view token, wall_time now) const;
    /// Whether the user may do it: the first rule that matches decides, and without one the user's groups.
    [[nodiscard]] bool allows(const user_info& user, const access_request& asked) const;
    /// Whether the first rule that matches allows it; empty if none matches.
    [[nodiscard]] std::optional<bool> verdict(const user_info& user, const access_request& asked) const;

    /// The permissions of the user in a namespace, for a SelfSubjectRulesReview.
    [[nodiscard]] access_summary summarize(const user_info& user, std::string_view ns) const;

    /// The user of a request that carries neither token nor certificate.
    [[nodiscard]] static user_info anonymous();

private:
    struct entry
    {
        std::string token;
        user_info user;
        std::optional<wall_time> expires;
    };
    std::vector<entry> tokens_;
    std::vector<access_rule> rules_;
};

} // namespace kubecoro::apiserver
