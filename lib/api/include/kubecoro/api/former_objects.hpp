#pragma once

#include <kubecoro/api/object.hpp>

namespace kubecoro {

/** Known objects that also know former states: a base beside known_objects.

    Parts of an object that are equal in its former state are copied from there while the events of a watch are decoded, which costs
    less than reading them. */
class former_objects
{
public:
    virtual ~former_objects() = default;
    /// Returns a state of the object with this key, of any uid and version, or null. Called for each event that is
    /// decoded, by any thread.
    [[nodiscard]] virtual object former(object_key_view key) const = 0;
};

} // namespace kubecoro
