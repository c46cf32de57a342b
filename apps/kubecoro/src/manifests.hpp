// Files that are embedded into the binary: the demo's manifests, and the templates of `kubecoro new`.
#pragma once

#include "scaffold/scaffold.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::tool {

struct manifest_file
{
    std::string name;
    std::string_view text;
};

/// In loading order.
[[nodiscard]] std::vector<manifest_file> demo_manifests();
/// The project of `kubecoro new operator`.
[[nodiscard]] std::vector<scaffold_template> operator_templates();

} // namespace kubecoro::tool
