#include "objects/priority_class.hpp"

namespace kubecoro::apiserver {
namespace {

constexpr system_priority_class system_classes[]{
    {"system-cluster-critical", 2'000'000'000,
     "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."},
    {"system-node-critical", 2'000'001'000,
     "Used for system critical pods that must not be moved from their current node."},
};

} // namespace

std::span<const system_priority_class> system_priority_classes() { return system_classes; }

const system_priority_class* find_system_priority_class(std::string_view name)
{
    for (const auto& c : system_classes)
        if (c.name == name) return &c;
    return nullptr;
}

} // namespace kubecoro::apiserver
