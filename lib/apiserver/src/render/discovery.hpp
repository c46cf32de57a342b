// What the server serves, in the old and the aggregated form of discovery.
#pragma once

#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Every (group, version) with its resources, core first.
struct served_group
{
    std::string name;
    struct version
    {
        std::string name;
        std::vector<std::shared_ptr<resource_store>> resources;
    };
    std::vector<version> versions;
};

[[nodiscard]] std::vector<served_group> served_groups(const cluster_state_core& state);

/// Bodies of `/apis`, `/apis/<group>` and `/apis/<group>/<version>` (or `/api/v1`).
[[nodiscard]] std::string group_list(const std::vector<served_group>& groups);
[[nodiscard]] std::string group_document(const served_group& group);
[[nodiscard]] std::string resource_list(const served_group& group, const served_group::version& version);

/// APIGroupDiscoveryList of the core group alone (`/api`) or of all others (`/apis`).
[[nodiscard]] std::string aggregated_discovery(const std::vector<served_group>& groups, bool core);

/// A strong ETag's content: upper-case hex, the same for the same text.
[[nodiscard]] std::string content_hash(std::string_view text);

} // namespace kubecoro::apiserver
