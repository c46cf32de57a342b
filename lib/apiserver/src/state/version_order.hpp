// The order of the versions of an API group.
#pragma once

#include <string_view>

namespace kubecoro::apiserver {

/** Whether a version has priority over another: v2, v1, v1beta1, v1alpha1, and then those of other forms by name. The first
    of a group is the one that clients prefer. */
[[nodiscard]] bool has_priority(std::string_view version, std::string_view over);

} // namespace kubecoro::apiserver
