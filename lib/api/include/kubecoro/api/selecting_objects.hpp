#pragma once

#include <kubecoro/api/decode.hpp>
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

/** Known objects that also select, by key: those that are not wanted are passed over while lists and watches are decoded. Their
    text is scanned for its end alone.

    Items of lists are missing from the page then. An event has its version in watch_event::passed_over. A source_scope with it
    selects in all lists and watches. */
class selecting_objects : public known_objects
{
public:
    /// Whether objects with this key are wanted. Called for each item and event, by any thread; once at most with the
    /// result false.
    [[nodiscard]] virtual bool wants(object_key_view key) const noexcept = 0;
};

/// The same selection and former states for a watch without a streamed list: find() finds nothing. Null for known objects that
/// have neither, and for null.
[[nodiscard]] std::shared_ptr<const known_objects> selection_of(std::shared_ptr<const known_objects> known);

} // namespace kubecoro
