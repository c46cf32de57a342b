#pragma once
// Finds the schema of a custom kind in what a server publishes. Sans-io.

#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/validation.hpp>
#include <kubecoro/base/result.hpp>

#include <string_view>

namespace kubecoro::detail {

/// From the text of its CustomResourceDefinition. Errors: cond::corrupt; as object_schema::of_crd().
[[nodiscard]] result<object_schema> schema_in_definition(std::string_view text, const resource_type& resource);

/** From the text of the OpenAPI document of its group and version. Parts that are references, such as metadata, may hold
    anything.

    @par Errors  cond::not_found if the document has no such kind; cond::corrupt; as object_schema::of_schema(). */
[[nodiscard]] result<object_schema> schema_in_openapi(std::string_view text, const resource_type& resource);

} // namespace kubecoro::detail
