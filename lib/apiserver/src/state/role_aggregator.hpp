// Gives aggregated ClusterRoles the rules of those that they select, as a cluster's controller manager does.
#pragma once

#include "state/resource_store.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace kubecoro::apiserver {

/** Follows the changes of ClusterRoles. A change makes it look at every aggregated role, one in each step, and again while
    that changes others: roles may be aggregated of aggregated ones. Roles that aggregate each other do so for a bounded
    number of rounds. */
class role_aggregator
{
public:
    explicit role_aggregator(cluster_state_core& state) : state_(state) {}

    /// Follows a change. @param after  Null: the object is no more stored.
    void note(const resource_store& store, std::string_view key, const stored_object* after);
    /// Forgets everything, before a state is restored.
    void clear();
    /// Looks at one role. @return whether some are left.
    [[nodiscard]] bool work(wall_time now);

private:
    void begin_round();
    /// Writes the rules of a role, if they are others. @return whether it wrote.
    bool combine(const std::string& key, wall_time now);

    cluster_state_core& state_;
    /// Keys of the roles with an aggregationRule.
    std::set<std::string, std::less<>> aggregated_;
    std::set<std::string> pending_;
    std::size_t round_ = 0;
    /// Roles have changed since the rounds began.
    bool dirty_ = false;
    /// A role was written in this round.
    bool changed_ = false;
    /// A role is being written.
    bool writing_ = false;
};

} // namespace kubecoro::apiserver
