// Built-in kinds that are stored without rules of their own.
#pragma once

#include "objects/registry.hpp"

#include <vector>

namespace kubecoro::apiserver {

/// The resources of these kinds, which the schemas describe.
[[nodiscard]] std::vector<resource_info> plain_resources();

} // namespace kubecoro::apiserver
