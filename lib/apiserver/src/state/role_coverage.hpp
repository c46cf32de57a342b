// Compares the rights that a role would grant with those that a user has.
#pragma once

#include "state/role_rule.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kubecoro::apiserver {

/// The rights that a user lacks.
struct missing_rights
{
    /// As a kube-apiserver lists them: sorted, rules with one resource joined by their verbs. Not all if they are many.
    std::vector<std::string> rules = {};
    /// The comparison took too many steps, and was given up.
    bool too_many = false;

    [[nodiscard]] bool any() const noexcept { return too_many || !rules.empty(); }
};

/// Whether a rule of the server forbids a request. Its texts may be "*".
using forbids_request = std::function<bool(const access_request& asked)>;

/** Finds the rights in `wanted` that no rule of `held` includes. Each verb for each resource, name or path counts by
    itself, so several rules may include one. The number of steps is bounded: clients choose the rules.

    @param forbids  Empty: nothing is forbidden. */
[[nodiscard]] missing_rights find_missing(const std::vector<const role_rule*>& held,
                                          const std::vector<const role_rule*>& wanted, const std::string& ns,
                                          const forbids_request& forbids);

} // namespace kubecoro::apiserver
