// OpenAPI v3 as far as kubectl needs it: which kinds there are and which parameters their writes take.
#pragma once

#include "render/discovery.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Body of `/openapi/v3`.
[[nodiscard]] std::string openapi_index(const std::vector<served_group>& groups);

/// The document of "api/v1" or "apis/<group>/<version>"; empty when there is none. Schemas of built-in kinds are open:
/// they name the kind and accept any field; those of custom resources are the ones their definitions give.
[[nodiscard]] std::string openapi_document(const std::vector<served_group>& groups, std::string_view path);

} // namespace kubecoro::apiserver
