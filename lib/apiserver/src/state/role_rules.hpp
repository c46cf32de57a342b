// Permissions that the roles and bindings of a cluster grant (rbac.authorization.k8s.io/v1).
#pragma once

#include "state/resource_store.hpp"

#include <kubecoro/apiserver/access.hpp>
#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// A PolicyRule of a Role or ClusterRole.
struct role_rule
{
    std::vector<std::string> verbs;
    std::vector<std::string> groups;
    /// "pods", "pods/status", "*/scale" or "*".
    std::vector<std::string> resources;
    /// Names of objects; empty = all, also those without a name yet.
    std::vector<std::string> names;
    /// Paths; one with "*" at its end has all that begin so.
    std::vector<std::string> paths;

    [[nodiscard]] bool allows(const access_request& asked) const;
};

/** Reads RoleBindings, ClusterRoleBindings and their roles as they are at each question.

    The ClusterRoles cluster-admin and system:auth-delegator, which a cluster begins with, grant what they do there,
    although they are not stored. Rules of aggregated roles are those that are stored. Not thread safe: used on the strand
    of the state. */
class role_rules
{
public:
    /// @param state  Must outlive it.
    explicit role_rules(const cluster_state_core& state);

    [[nodiscard]] bool allow(const user_info& user, const access_request& asked);

    /// All rules that a user has in a namespace. Valid until the next call.
    [[nodiscard]] std::vector<const role_rule*> of(const user_info& user, std::string_view ns);

    /// The number of parsed objects in memory: at most some more than twice the stored ones.
    [[nodiscard]] std::size_t kept() const noexcept
    {
        return roles_.size() + cluster_roles_.size() + bindings_.size() + cluster_bindings_.size();
    }

private:
    struct subject
    {
        bool is_group = false;
        std::string name;
    };
    struct binding
    {
        std::vector<subject> subjects;
        bool to_cluster_role = false;
        /// The storage key of the role; empty: the reference is to no role.
        std::string role;
    };
    using role = std::vector<role_rule>;
    /// Whom a binding may name. Its texts are the user's.
    struct asker
    {
        std::string_view name;
        /// Sorted: a review may ask for a user with thousands.
        std::vector<std::string_view> groups;
    };

    /// The parsed form of a stored object. Another object under the same key is parsed again.
    template<class T>
    struct read
    {
        stored from;
        T value;
    };
    template<class T>
    using read_by_key = std::map<std::string, read<T>, std::less<>>;

    /// Calls visit(rule) until it returns true, for the rules of bindings with keys in a range.
    template<class Visit>
    bool visit_rules(const resource_store& bindings, const std::pair<std::string, std::string>& range,
                     read_by_key<binding>& known, const asker& who, const Visit& visit);
    template<class Visit>
    bool visit_rules(const user_info& user, std::string_view ns, const Visit& visit);
    [[nodiscard]] const role& rules_of(const binding& b);

    [[nodiscard]] static binding binding_in(const stored_object& object);
    [[nodiscard]] static role role_in(const stored_object& object);
    [[nodiscard]] static bool applies(const binding& b, const asker& who);

    std::shared_ptr<resource_store> stored_roles_, stored_cluster_roles_, stored_bindings_, stored_cluster_bindings_;
    read_by_key<role> roles_, cluster_roles_;
    read_by_key<binding> bindings_, cluster_bindings_;
};

} // namespace kubecoro::apiserver
