#include "rest/body_kind.hpp"

namespace kubecoro::detail {

std::optional<body_kind> protobuf_body_kind(wire_form chosen, const resource_type& resource,
                                            std::string_view subresource, field_validation validation)
{
    if (chosen != wire_form::protobuf) return std::nullopt;
    if (validation != field_validation::unset && validation != field_validation::ignore) return std::nullopt;
    const auto* const schema = builtin_schemas::find_resource(resource.api_version(), resource.plural);
    if (schema == nullptr) return std::nullopt;
    auto name = resource.display_name();
    if (!subresource.empty()) name.append("/").append(subresource);
    // Other subresources have kinds of their own, such as Scale.
    const bool is_whole = subresource.empty() || subresource == "status";
    return body_kind{name + " " + resource.version, is_whole ? schema : nullptr};
}

} // namespace kubecoro::detail
