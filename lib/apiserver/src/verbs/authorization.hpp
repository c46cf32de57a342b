// Authenticates and authorizes requests: the user who sends one, the rights of users, and the rights that a write would grant.
#pragma once

#include "state/role_rules.hpp"
#include "verbs/exchange.hpp"

#include <kubecoro/apiserver/detail/access_control.hpp>
#include <kubecoro/apiserver/detail/http_types.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Converts a rule of the server that allows into one of a role. "deployments.apps/scale" is the resource
/// "deployments/scale" of the group "apps".
[[nodiscard]] role_rule as_role_rule(const access_rule& rule);

/** The rules of the server, and the roles of the cluster.

    The first rule that matches decides. Without one, a user may do what access_control allows everybody, and what roles
    grant. Not thread safe: used on the strand of the state. */
class authorizer
{
public:
    /// @param access, state  Must outlive it.
    authorizer(const access_control& access, const cluster_state_core& state) : access_(access), roles_(state) {}

    [[nodiscard]] bool allows(const user_info& user, const access_request& asked)
    {
        if (access_.allows(user, asked)) return true;
        return !access_.verdict(user, asked) && roles_.allow(user, asked);
    }

    /// Tokens and rules.
    [[nodiscard]] const access_control& access() const noexcept { return access_; }
    [[nodiscard]] role_rules& roles() noexcept { return roles_; }

private:
    const access_control& access_;
    role_rules roles_;
};

/// The meaning of a bearer token for one of the audiences that were asked for.
struct token_verdict
{
    /// Empty: nothing.
    std::optional<user_info> user = {};
    /// Those of the audiences asked for that the token is meant for.
    std::vector<std::string> audiences = {};
    /// Why there is no user.
    std::string problem = {};
};

/// Checks a token of the access control or of a service account.
[[nodiscard]] token_verdict judge_token(const access_control& access, const exchange& x, std::string_view token,
                                        const std::vector<std::string>& audiences);

/// Authenticates a request by bearer token, else by client certificate (set by the front), else as anonymous. Empty: its
/// token proves nothing.
[[nodiscard]] std::optional<user_info> authenticate(const access_control& access, const exchange& x);

/// The user as whom a request asks to be answered, and the permissions that this takes.
struct impersonation
{
    /// Empty: the request does not ask for another.
    std::optional<user_info> user = {};
    /// Each with the verb impersonate.
    std::vector<access_request> needs = {};
    /// Why the headers cannot be meant; empty if they can.
    std::string problem = {};
};

/// Reads the Impersonate- headers of a request.
[[nodiscard]] impersonation read_impersonation(const http_request& request);

[[nodiscard]] bool wants_watch(const exchange& x);
/// The verb that the request needs a permission for.
[[nodiscard]] std::string verb_of(const exchange& x);

/// Authenticates and authorizes the request and sets the exchange's user. @return the refusal, if any.
[[nodiscard]] std::optional<http_response> judge(exchange& x);

/** Authorizes the creation of the object that the path names, for an update or apply that creates: the permission to
    update or patch does not suffice. @return the refusal, if any. */
[[nodiscard]] std::optional<http_response> judge_create(const exchange& x);

/** The check of a write of this exchange's resource. A role may grant the rights that its writer has, or any if the writer
    has the verb escalate for it; a binding needs the rights of its role, or the verb bind for that.

    @return empty for resources that grant nothing. Valid as long as the exchange. */
[[nodiscard]] write_admission escalation_check(exchange& x);

/// A kind of review: a question about users and permissions that a POST asks and its answer replies to. Nothing is stored.
struct review_kind
{
    std::string_view api_version;
    std::string_view kind;
};

/// The kind that a request posts; null for any other request.
[[nodiscard]] const review_kind* review_of(const exchange& x);

[[nodiscard]] http_response answer_review(exchange& x, const review_kind& kind, authorizer& access);

/// A user as reviews show one.
[[nodiscard]] boost::json::object described_user(const user_info& user);

/// The checks of a write of this exchange's resource: escalation_check(), and the admission webhooks that it is for. Valid as long
/// as the exchange.
[[nodiscard]] write_admission write_checks(exchange& x, bool dry_run);
/// The checks of a Scale, for write_flags::scale_admission. Empty where no webhooks are asked.
[[nodiscard]] write_admission scale_checks(exchange& x, bool dry_run);
/** Asks the admission webhooks about the deletion of an object. @param name  That of the request; empty for a collection.
    @return the refusal, if any. */
[[nodiscard]] std::optional<status_error> review_deletion(const exchange& x, const stored_object& object,
                                                          std::string_view name, bool dry_run);
/// Asks the admission webhooks about the object that creates a subresource, such as an Eviction, which they may change.
[[nodiscard]] std::optional<status_error> review_part(const exchange& x, boost::json::value& part, bool dry_run);

} // namespace kubecoro::apiserver
