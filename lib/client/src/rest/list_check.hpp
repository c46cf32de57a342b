#pragma once
// Checks that a list response is the requested list. Sans-io.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>

namespace kubecoro::detail {

/** Without this check any other document with `items`, or with none, would pass as an empty list, and every object
    would count as deleted.

    The list kind of a custom resource is arbitrary, so for it only the apiVersion is checked; the list kind of a
    built-in group or of *.k8s.io is derived from the object kind.
    @param metadata_only  Accepts PartialObjectMetadataList as well.
    @par Errors           cond::corrupt with the received and the expected kind. */
[[nodiscard]] result<> check_list(const list_page& page, const resource_type& asked, bool metadata_only);

/// A list that a watch starts from must have a version. Errors: cond::corrupt.
[[nodiscard]] result<> check_list_version(const list_page& page);

} // namespace kubecoro::detail
