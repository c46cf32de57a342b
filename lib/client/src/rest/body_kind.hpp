#pragma once
// Decides whether the body of a write may be protobuf. Sans-io.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The kind of a body that may be protobuf.
struct body_kind
{
    /// "pods v1" or "pods/scale v1": for logs, and to remember refusals.
    std::string name;
    /// Null: the kind that the body says.
    const schema_kind* schema = nullptr;
};

/** The kind of the object that a create or update sends; nothing if it is to be JSON: by choice, for kinds without a
    schema, and if the server is asked to check field names, which it does only in JSON. */
[[nodiscard]] std::optional<body_kind> protobuf_body_kind(wire_form chosen, const resource_type& resource,
                                                          std::string_view subresource, field_validation validation);

} // namespace kubecoro::detail
