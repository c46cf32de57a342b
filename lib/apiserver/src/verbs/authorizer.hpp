// Decides what users may do.
#pragma once

#include "state/role_rules.hpp"

#include <kubecoro/apiserver/access.hpp>

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

} // namespace kubecoro::apiserver
