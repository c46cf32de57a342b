// Renders the part of OpenAPI v3 that kubectl needs: the kinds and the parameters of their writes.
#pragma once

#include "render/discovery.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Body of `/openapi/v3`.
[[nodiscard]] std::string openapi_index(const std::vector<served_group>& groups);

/// Returns the document of "api/v1" or "apis/<group>/<version>"; empty for an unknown path. Schemas of built-in kinds
/// name the kind and accept any field; custom resources have the schemas of their definitions.
[[nodiscard]] std::string openapi_document(const std::vector<served_group>& groups, std::string_view path);

} // namespace kubecoro::apiserver
