#pragma once
// Whether a list answer is the list that was asked for. Sans-io.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>

namespace kubecoro::detail {

/** Anything else that happens to have `items`, or none, would pass as an empty list, after which everything counts as
    deleted.

    The list of a custom resource may have any name, so there the apiVersion decides; one that has no group of its own, or
    one of *.k8s.io, is called after its kind.
    @param metadata_only  PartialObjectMetadataList is right as well.
    @par Errors           cond::corrupt with what came and what was expected. */
[[nodiscard]] result<> check_list(const list_page& page, const resource_type& asked, bool metadata_only);

/// A list from which somebody will watch has a version. Errors: cond::corrupt.
[[nodiscard]] result<> check_list_version(const list_page& page);

} // namespace kubecoro::detail
