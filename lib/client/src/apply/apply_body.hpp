#pragma once
// Checks the body of a server-side apply. Sans-io.

#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

/** The body as it is sent: with apiVersion, kind and name, if it has none. With a subresource, whose kind may be another
    one, only the name is added.

    @par Errors  invalid for anything else than a JSON object, one with managed fields, and one of another kind, name or
                 namespace. */
[[nodiscard]] result<std::string> apply_body(const resource_type& resource, std::string_view ns, std::string_view name,
                                             std::string text, std::string_view subresource);

/// Says what a refused apply means.
[[nodiscard]] failure apply_failure(const failure& f);

} // namespace kubecoro::detail
