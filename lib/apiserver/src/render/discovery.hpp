// Renders discovery documents, in the legacy and the aggregated form, and the part of OpenAPI v3 that kubectl needs.
#pragma once

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <cstdint>
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

/// Body of `/openapi/v3`.
[[nodiscard]] std::string openapi_index(const std::vector<served_group>& groups, std::uint64_t discovery_version);

/// Identifies the contents of a document, which change with the served resources alone.
[[nodiscard]] std::string openapi_hash(std::string_view path, std::uint64_t discovery_version);

/// Returns the document of "api/v1" or "apis/<group>/<version>"; empty for an unknown path. Schemas of built-in kinds
/// have the fields and their types, without descriptions; custom resources have the schemas of their definitions.
[[nodiscard]] std::string openapi_document(const std::vector<served_group>& groups, std::string_view path);

} // namespace kubecoro::apiserver
