// What metadata may consist of.
#pragma once

#include <array>
#include <string_view>

namespace kubecoro::apiserver {

/// The members of metadata in the order in which kube-apiserver writes them.
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
