#pragma once
// Converts discovery documents to resources, and a user's word to one of them. Sans-io.

#include <kubecoro/api/object.hpp>
#include <kubecoro/client/discovery.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Whether the document is aggregated: it lists the resources of whole groups.
[[nodiscard]] bool is_aggregated(const object& document) noexcept;
/// The resources of an APIGroupDiscoveryList. Errors: cond::corrupt when it is not one.
[[nodiscard]] result<std::vector<discovered_resource>> read_aggregated(const object& document);

/// The groups and versions of an APIVersions (/api) or APIGroupList (/apis), preferred versions first.
/// Errors: cond::corrupt when it is neither.
[[nodiscard]] result<std::vector<group_version>> read_group_versions(const object& document);
/// The resources of an APIResourceList. Errors: cond::corrupt when it is not one.
[[nodiscard]] result<std::vector<discovered_resource>> read_resource_list(const object& document,
                                                                          const group_version& of);

/** The first resource that matches a word: by plural or singular, then by short name, then by kind;
    case-insensitive.

    "a.b.c" is tried as version b of group c, then as group b.c, then as the beginning of a group's name, as in
    kubectl.
    @par Errors  cond::not_found with similar names; cond::invalid for an empty word. */
[[nodiscard]] result<resource_type> pick_resource(std::span<const discovered_resource> all, std::string_view word);

} // namespace kubecoro::detail
