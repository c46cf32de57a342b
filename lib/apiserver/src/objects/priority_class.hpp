// The priority classes that every cluster has.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kubecoro::apiserver {

/// A priority class that every cluster has.
struct system_priority_class
{
    std::string_view name;
    std::int32_t value;
    std::string_view description;
};
[[nodiscard]] std::span<const system_priority_class> system_priority_classes();
/// @return null if there is none of this name.
[[nodiscard]] const system_priority_class* find_system_priority_class(std::string_view name);

} // namespace kubecoro::apiserver
