#pragma once
// Discovery documents to resources, and a person's word to one of them. Sans-io.

#include <kubecoro/api/object.hpp>
#include <kubecoro/client/discovery.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The document holds resources of whole groups, as asked for with aggregated_accept.
[[nodiscard]] bool is_aggregated(const object& document) noexcept;
/// The resources of an APIGroupDiscoveryList. Errors: cond::corrupt when it is something else.
[[nodiscard]] result<std::vector<discovered_resource>> read_aggregated(const object& document);

/// The groups and versions of an APIVersions (/api) or APIGroupList (/apis), preferred versions first.
/// Errors: cond::corrupt when it is neither.
[[nodiscard]] result<std::vector<group_version>> read_group_versions(const object& document);
/// The resources of an APIResourceList. Errors: cond::corrupt when it is something else.
[[nodiscard]] result<std::vector<discovered_resource>> read_resource_list(const object& document,
                                                                          const group_version& of);

/** The first resource that a word names: by plural or singular, then by short name, then by kind; case does not matter.

    "a.b.c" is tried as version b of group c, then as group b.c, then as the beginning of a group's name, as kubectl does.
    @par Errors  cond::not_found with names that look alike; cond::invalid for an empty word. */
[[nodiscard]] result<resource_type> pick_resource(std::span<const discovered_resource> all, std::string_view word);

} // namespace kubecoro::detail
