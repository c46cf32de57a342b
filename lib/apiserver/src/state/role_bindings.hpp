// The RoleBindings, or the ClusterRoleBindings, of a cluster by the subjects that they name.
#pragma once

#include "state/store_follower.hpp"

#include <kubecoro/apiserver/access.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// The group of roles and their bindings.
inline constexpr std::string_view role_group = "rbac.authorization.k8s.io";

/// Whether a reference, to a role or a subject, is to this kind of this group; a reference without a group means it.
[[nodiscard]] bool refers_to(const boost::json::value& reference, std::string_view kind, std::string_view of_group);

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

} // namespace kubecoro::apiserver
