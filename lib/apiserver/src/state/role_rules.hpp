// Permissions that the roles and bindings of a cluster grant (rbac.authorization.k8s.io/v1).
#pragma once

#include "state/resource_store.hpp"
#include "state/role_bindings.hpp"
#include "state/role_rule.hpp"

#include <kubecoro/apiserver/access.hpp>
#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// The rules that a Role or ClusterRole states.
[[nodiscard]] std::vector<role_rule> rules_in(const boost::json::value& role);

/** Reads RoleBindings, ClusterRoleBindings and their roles as they are at each question.

    The default roles grant what they do in a cluster, although they are not stored. Rules of other aggregated roles are
    those that are stored. Not thread safe: used on the strand of the state. */
class role_rules
{
public:
    /// @param state  Must outlive it.
    explicit role_rules(const cluster_state_core& state);

    [[nodiscard]] bool allow(const user_info& user, const access_request& asked);

    /// All rules that a user has in a namespace. Valid until the state changes.
    [[nodiscard]] std::vector<const role_rule*> of(const user_info& user, std::string_view ns);

    /// The rules of a role, or of a ClusterRole without a namespace. Empty: there is no such role. Valid until the state changes.
    [[nodiscard]] std::optional<std::vector<const role_rule*>> of_role(std::string_view ns, std::string_view name);

    /// The number of parsed objects in memory: at most some more than twice the stored ones.
    [[nodiscard]] std::size_t kept() const noexcept
    {
        return roles_.size() + cluster_roles_.size() + bindings_.size() + cluster_bindings_.size();
    }

private:
    using role = std::vector<role_rule>;

    /// The parsed form of a stored object. Another object under the same key is parsed again.
    template<class T>
    struct read
    {
        stored from;
        T value;
    };
    template<class T>
    using read_by_key = std::map<std::string, read<T>, std::less<>>;

    /// Calls visit(rule) until it returns true, for the rules of the bindings that name the user.
    template<class Visit>
    bool visit_rules(const user_info& user, std::string_view ns, const Visit& visit);
    /// The same for the rules of a role. @param existed  Set if there is one.
    template<class Visit>
    bool visit_role(bool is_cluster_role, std::string_view key, const Visit& visit, bool& existed);

    std::shared_ptr<resource_store> stored_roles_, stored_cluster_roles_;
    read_by_key<role> roles_, cluster_roles_;
    role_bindings bindings_, cluster_bindings_;
};

} // namespace kubecoro::apiserver
