#pragma once
// Edits of an object in JSON, before it is written. They depend on nothing but the object.

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/json/fwd.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro {

/// The beginning of an object to create: apiVersion, kind, and metadata with the name and, for kinds that belong to a
/// namespace, the namespace of the key.
[[nodiscard]] boost::json::object new_object(const resource_type& type, const object_key& key);

/// The member at the end of a path of names; objects on the way to it are made. Anything else on the way is replaced by
/// an object. The names are taken as they are: dots and slashes mean nothing. Valid until the object changes.
[[nodiscard]] boost::json::value& field(boost::json::object& o, std::initializer_list<std::string_view> path);
/// `field(o, "spec", "replicas") = 3;`
template<std::convertible_to<std::string_view>... Names>
[[nodiscard]] boost::json::value& field(boost::json::object& o, const Names&... names)
{
    static_assert(sizeof...(Names) > 0, "field() needs the name of a member");
    return field(o, {std::string_view(names)...});
}

/// The member at the end of a path of names; null if there is none. Valid until the object changes.
[[nodiscard]] const boost::json::value* find_field(const boost::json::object& o,
                                                   std::initializer_list<std::string_view> path) noexcept;
/// `if (const auto* replicas = find_field(o, "spec", "replicas"))`
template<std::convertible_to<std::string_view>... Names>
[[nodiscard]] const boost::json::value* find_field(const boost::json::object& o, const Names&... names) noexcept
{
    return find_field(o, {std::string_view(names)...});
}

/// Sets a label. Returns whether that changed the object, as the next three do.
bool set_label(boost::json::object& o, std::string_view key, std::string_view value);
/// Removes a label.
bool remove_label(boost::json::object& o, std::string_view key);
/// Sets an annotation.
bool set_annotation(boost::json::object& o, std::string_view key, std::string_view value);
/// Removes an annotation.
bool remove_annotation(boost::json::object& o, std::string_view key);

/** Makes `owner` the controller of an object: the garbage collector deletes the object with it, and an informer's
    enqueue_owner finds the way back. A reference to the same group, kind and name is renewed.

    @param blocks_deletion  Whether a deletion of the owner in the foreground waits for this object. The author of the write
                            must then be allowed to set the owner's finalizers.

    Throws kubecoro::error with cond::invalid for an owner without uid, name or kind, for an object that another controller
    owns, and for an owner in a namespace if the object is in another one or in none: the garbage collector would
    delete the object. Functions that call an edit return that as their failure. */
void set_controller_reference(const object& owner, boost::json::object& o, bool blocks_deletion = true);
/// Makes `owner` an owner, which is no controller; an object may have several. Throws as set_controller_reference().
void set_owner_reference(const object& owner, boost::json::object& o, bool blocks_deletion = false);
/// Removes the reference to the owner's group, kind and name. Returns whether there was one.
bool remove_owner_reference(const object& owner, boost::json::object& o);
/// Whether `owner`, by its uid, is the controller of the object.
[[nodiscard]] bool is_controlled_by(const object& o, const object& owner) noexcept;

/// Adds a finalizer. Returns whether the object lacked it.
bool add_finalizer(boost::json::object& o, std::string_view finalizer);
/// Removes a finalizer. Returns whether the object had it.
bool remove_finalizer(boost::json::object& o, std::string_view finalizer);
/// Whether the object has that finalizer. Expands.
[[nodiscard]] bool has_finalizer(const object& o, std::string_view finalizer) noexcept;

/// A condition in an object's status.
struct status_condition
{
    /// Identifies it in the list: "Ready".
    std::string type = {};
    /// "True", "False" or "Unknown".
    std::string status = {};
    /// Why, as one word: "MinimumReplicasAvailable".
    std::string reason = {};
    /// Why, for people.
    std::string message = {};
    /// The generation of the object that it describes. Empty = not written: for kinds whose conditions have no such
    /// field.
    std::optional<std::int64_t> observed_generation = {};
};

/** Sets a condition in status.conditions, by its type. Its transition time becomes `now` when its status changes, and
    stays otherwise. Members that status_condition does not have are kept. Returns whether anything changed. */
bool set_condition(boost::json::object& o, const status_condition& c, wall_time now);
/// Removes the condition of a type. Returns whether there was one.
bool remove_condition(boost::json::object& o, std::string_view type);
/// The condition of a type, to read; absent if there is none. Expands.
[[nodiscard]] value_view find_condition(const object& o KUBECORO_LIFETIME_BOUND, std::string_view type) noexcept;
value_view find_condition(const object&& o, std::string_view type) = delete;

} // namespace kubecoro
