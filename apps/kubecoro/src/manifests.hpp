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

/// In the order in which they are to be loaded.
[[nodiscard]] std::vector<manifest_file> demo_manifests();

} // namespace kubecoro::tool
