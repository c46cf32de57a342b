#pragma once

#include <kubecoro/api/decode.hpp>

namespace kubecoro {

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
