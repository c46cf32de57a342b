// Renders discovery documents, in the legacy and the aggregated form.
#pragma once

#include <kubecoro/apiserver/cluster_state_core.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// One API group with its versions and their resources.
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

/// Returns every served group, core first.
[[nodiscard]] std::vector<served_group> served_groups(const cluster_state_core& state);

/// Bodies of `/apis`, `/apis/<group>` and `/apis/<group>/<version>` (or `/api/v1`).
[[nodiscard]] std::string group_list(const std::vector<served_group>& groups);
[[nodiscard]] std::string group_document(const served_group& group);
[[nodiscard]] std::string resource_list(const served_group& group, const served_group::version& version);

/// The APIGroupDiscoveryList of the core group (`/api`) or of all other groups (`/apis`).
[[nodiscard]] std::string aggregated_discovery(const std::vector<served_group>& groups, bool core);

/// Returns the content of a strong ETag: a hash of the text in upper-case hex.
[[nodiscard]] std::string content_hash(std::string_view text);

} // namespace kubecoro::apiserver
