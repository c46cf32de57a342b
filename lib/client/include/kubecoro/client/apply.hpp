#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// A field that client::apply() would have taken from another manager. All text is the server's.
struct apply_conflict
{
    /// The manager that owns the field.
    std::string manager = {};
    /// The field, such as `.spec.template.spec.containers[name="c"].image`.
    std::string field = {};
    /// The subresource through which the manager wrote; empty = the object itself.
    std::string subresource = {};
    /// The version in which it wrote, unless it applied.
    std::string api_version = {};
    /// When it wrote, in RFC 3339, unless it applied.
    std::string time = {};
    /// The server's words.
    std::string message = {};
    friend bool operator==(const apply_conflict&, const apply_conflict&) = default;
};

/// The conflicts for which client::apply() was refused; empty for any other failure.
[[nodiscard]] std::vector<apply_conflict> apply_conflicts(const failure& f);

/** The part of an object that a manager owns by having applied it: a body for its next client::apply().

    Change it and apply it again, so that the fields left out are not removed. It has apiVersion, kind, name and namespace,
    and nothing more if the manager owns nothing. Items of lists keep their keys and the object's order.

    For a built-in kind it is the result of client-go's extraction: the schema says which lists and maps are owned as one.
    A custom kind needs its definition for that: see the other form. Here, a list or map of a custom kind counts as owned as
    one, unless some manager owns a part of it.

    @param live         The object itself, not one of its subresources, as read from the server.
    @param subresource  The part that was applied through a subresource, such as "status".
    @par Errors         invalid for an object without managed fields, which would look like one of which the manager
                        owns nothing (see decode_options::drop_managed_fields), and if the manager applied in another
                        version of the API: read the object in that one. corrupt for managed fields that are malformed. */
[[nodiscard]] result<boost::json::value> extract(const object& live, std::string_view manager,
                                                 std::string_view subresource = {});

/** The same for an object of a custom kind, by the schema of its kind.

    @param definition  The CustomResourceDefinition of the kind.
    @par Errors        As the other form; invalid for another kind's definition, or one without the object's version. */
[[nodiscard]] result<boost::json::value> extract(const object& live, const object& definition, std::string_view manager,
                                                 std::string_view subresource = {});

/// Describes how an object moves from updates to server-side apply.
struct apply_migration
{
    /// The managers whose updates wrote the fields so far.
    std::vector<std::string> from = {"kubectl-client-side-apply"};
    /// The manager that applies from now on.
    std::string to = {};
    /// The subresource whose fields move; empty = the object itself.
    std::string subresource = {};
};

/** A JSON patch that gives the fields which some managers own by updates to a manager that applies, as client-go's
    csaupgrade does. Without it, the first apply leaves the fields of `from` owned by both, and a field that a later
    apply omits stays.

    The patch also fails with cond::conflict if the object has changed since it was read.
    @return      Empty if there is nothing to do.
    @par Errors  corrupt for managed fields that are malformed; invalid without a manager `to`. */
[[nodiscard]] result<std::optional<std::string>> migration_patch(const object& live, const apply_migration& how);

/** Reads an object and sends its migration_patch(), again if it changes in between, up to five times.

    @return      Whether there was something to do.
    @par Errors  As client and migration_patch; misconfigured for a client that drops managed fields. */
[[nodiscard]] boost::asio::awaitable<result<bool>> migrate_to_apply(client c, resource_type resource, kept_text ns,
                                                                    kept_text name, apply_migration how);

} // namespace kubecoro
