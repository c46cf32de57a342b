// The demo's manifests, embedded into the binary.
#pragma once

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

} // namespace kubecoro::tool
