// Files that are embedded into the binary: the objects of the demo, and the templates of `kubecoro new`.
#pragma once

#include "scaffold/scaffold.hpp"

#include <string_view>
#include <vector>

namespace kubecoro::tool {

/// YAML, one document per object, in loading order. demo_objects.py writes it.
[[nodiscard]] std::string_view demo_objects();
/// The project of `kubecoro new operator`.
[[nodiscard]] std::vector<scaffold_template> operator_templates();

} // namespace kubecoro::tool
