// The known members of an object's metadata.
#pragma once

#include <array>
#include <string_view>

namespace kubecoro::apiserver {

/// The members in the order in which kube-apiserver writes them.
inline constexpr auto metadata_members = std::to_array<std::string_view>({
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
});

} // namespace kubecoro::apiserver
