// Renders the part of OpenAPI v3 that kubectl needs: the kinds and the parameters of their writes.
#pragma once

#include "render/discovery.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Body of `/openapi/v3`.
[[nodiscard]] std::string openapi_index(const std::vector<served_group>& groups, std::uint64_t discovery_version);

/// Identifies the contents of a document, which change with the served resources alone.
[[nodiscard]] std::string openapi_hash(std::string_view path, std::uint64_t discovery_version);

/// Returns the document of "api/v1" or "apis/<group>/<version>"; empty for an unknown path. Schemas of built-in kinds
/// have the fields and their types, without descriptions; custom resources have the schemas of their definitions.
[[nodiscard]] std::string openapi_document(const std::vector<served_group>& groups, std::string_view path);

} // namespace kubecoro::apiserver
