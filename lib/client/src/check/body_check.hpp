#pragma once
// Checks the body of a write by the schema of its kind, which it finds in what a server publishes. Sans-io.

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/validation.hpp>
#include <kubecoro/base/result.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// The meaning of a body.
enum class body_role
{
    /// A whole object.
    object,
    merge_patch,
    strategic_patch,
    /// The body of a server-side apply.
    applied
};

/// A body that is to be checked.
struct checked_body
{
    resource_type resource;
    body_role role = body_role::object;
    /// It is for the status subresource.
    bool is_status = false;
    /// It creates an object. Others may leave values of the present object as they are, which the server forgives.
    bool is_new = false;
};

/// The body of an update or apply, or of a create if that is set in it; nothing if it is of a kind of its own, such as Scale.
[[nodiscard]] std::optional<checked_body> body_to_check(const resource_type& resource, std::string_view subresource,
                                                        body_role role);
/// The body of a patch; nothing for a JSON patch as well.
[[nodiscard]] std::optional<checked_body> patch_to_check(const resource_type& resource, std::string_view subresource,
                                                         patch_kind kind);

/// The schema of a kind.
struct known_schema
{
    /// Null: not a built-in kind.
    const schema_kind* built_in = nullptr;
    /// Empty: not a custom kind, or its schema is not known.
    std::optional<object_schema> custom = {};

    [[nodiscard]] bool is_known() const noexcept { return built_in != nullptr || custom.has_value(); }
};

/** Checks a body.

    @param schema         Known.
    @param fill_defaults  Adds the defaults of a whole object of a custom kind.
    @param present        The text of the object that the write changes; empty if it is not known. Invalid values that it
                          has already are forgiven.
    @return      The body to send.
    @par Errors  cond::invalid, with a status in the server's words if a server can read the body at all. */
[[nodiscard]] result<std::string> check_body(const checked_body& what, const known_schema& schema, std::string text,
                                             bool fill_defaults, std::string_view present = {});

/// Whether a body that check_body() has refused, without the present object, may pass with it.
[[nodiscard]] bool may_be_forgiven(const checked_body& what, const known_schema& schema, const failure& why);

/// From the text of its CustomResourceDefinition. Errors: cond::corrupt; as object_schema::of_crd().
[[nodiscard]] result<object_schema> schema_in_definition(std::string_view text, const resource_type& resource);

/** From the text of the OpenAPI document of its group and version. Parts that are references, such as metadata, may hold
    anything.

    @par Errors  cond::not_found if the document has no such kind; cond::corrupt; as object_schema::of_schema(). */
[[nodiscard]] result<object_schema> schema_in_openapi(std::string_view text, const resource_type& resource);

} // namespace kubecoro::detail
