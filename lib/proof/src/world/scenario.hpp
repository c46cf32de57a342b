// The parts of all runs that do not change: the cluster before the operator starts, the objects of the user, the rights.
#pragma once

#include "plan/spec_edits_core.hpp"
#include "world/replica.hpp"

#include <kubecoro/manager/access_right.hpp>
#include <kubecoro/proof/operator_check_options.hpp>

#include <set>
#include <string>
#include <vector>

namespace kubecoro::testing::detail {

/// An object that a user creates and deletes.
struct user_object
{
    /// "gadgets.shop.example.com default/one".
    std::string key;
    /// Paths of requests.
    std::string collection;
    std::string path;
    std::string body;
    /// Whether its kind has a definition in the options.
    bool custom = false;
    /// Changes that its schema allows.
    std::vector<spec_edit> edits = {};
};

struct scenario
{
    replica_options replicas = {};
    const operator_check_options* options = nullptr;
    /// The user name of the operator's service account.
    std::string account = {};
    /// A dump of the cluster without the objects of the user.
    std::string base = {};
    std::vector<user_object> objects = {};
    /// As the manager declares them.
    std::vector<access_right> rights = {};
    /// Texts that no log line may have.
    std::set<std::string> secrets = {};
    /// Objects of others, by key, which no run may change.
    std::set<std::string> others = {};

    /// Whether replicas lead by a Lease.
    [[nodiscard]] bool elects() const { return !replicas.managing.leader_election.lease.empty(); }
};

} // namespace kubecoro::testing::detail
