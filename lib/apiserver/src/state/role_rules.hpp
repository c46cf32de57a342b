// Permissions that the roles and bindings of a cluster grant (rbac.authorization.k8s.io/v1), and ClusterRoles that a cluster begins with.
#pragma once

#include "state/resource_store.hpp"

#include <kubecoro/apiserver/detail/access_control.hpp>
#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
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

/// A ClusterRole that grants what it does in a cluster, although it is not stored.
struct default_role
{
    std::vector<role_rule> rules;
    /// Its rules include those of the stored ClusterRoles that have one of these labels, with the value "true".
    std::vector<std::string_view> aggregates = {};
};

/// @return null for all other names.
[[nodiscard]] const default_role* find_default_role(std::string_view name);

/// The group of roles and their bindings.
inline constexpr std::string_view role_group = "rbac.authorization.k8s.io";

/// The parsed form of one binding.
struct role_binding
{
    /// A user, also that of a service account, or a group.
    struct subject
    {
        bool is_group = false;
        std::string name;
        friend auto operator<=>(const subject&, const subject&) = default;
    };
    std::vector<subject> subjects;
    bool to_cluster_role = false;
    /// The storage key of the role; empty: the reference is to no role.
    std::string role;
};

[[nodiscard]] role_binding role_binding_in(const stored_object& object);

/** The bindings of one resource. A question costs time in the number of those that name the user. Not thread safe: used
    on the strand of the state. */
class role_bindings final : store_follower
{
public:
    explicit role_bindings(std::shared_ptr<const resource_store> store) : store_follower(std::move(store)) {}

    /// Calls visit(binding) once for each binding that names the user or one of the user's groups, until it returns
    /// true. @param ns  Empty: bindings of the whole cluster. @return whether it returned true.
    template<class Visit>
    bool visit(const user_info& user, std::string_view ns, const Visit& visit)
    {
        follow();
        const auto range = key_range(ns);
        std::set<const role_binding*> seen;
        const auto visit_of = [&](bool is_group, const std::string& name) {
            const auto found = by_subject_.find({is_group, name});
            if (found == by_subject_.end()) return false;
            const auto end = found->second.lower_bound(range.second);
            for (auto at = found->second.lower_bound(range.first); at != end; ++at)
                if (seen.insert(at->second).second && visit(*at->second)) return true;
            return false;
        };
        if (visit_of(false, user.name)) return true;
        for (const auto& group : user.groups)
            if (visit_of(true, group)) return true;
        return false;
    }

    /// The number of bindings in memory.
    [[nodiscard]] std::size_t size() const noexcept { return read_.size(); }

private:
    void clear() override;
    void put(const stored& object) override;
    void erase(const std::string& key) override;

    std::map<std::string, role_binding> read_;
    /// The keys are those of `read_`.
    std::map<role_binding::subject, std::map<std::string_view, const role_binding*>> by_subject_;
};

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
