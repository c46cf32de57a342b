#pragma once

#include "clusters/shared_leadership.hpp"

#include <kubecoro/controller/key_share.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kubecoro::detail {

/// Describes the place of a manager that works in one cluster of another manager.
struct cluster_place
{
    /// The cluster's name.
    std::string cluster;
    std::shared_ptr<shared_leadership> leadership;
    /// The keys of this replica, where replicas divide them.
    std::optional<key_share> share;
    /// Called when everything has started that needs no leadership.
    std::function<void()> when_ready = {};
};

} // namespace kubecoro::detail
