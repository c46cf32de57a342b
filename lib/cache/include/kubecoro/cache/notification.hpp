#pragma once

#include <kubecoro/api/object.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kubecoro {

/// The server's word that nothing has changed. An empty version says nothing.
[[nodiscard]] inline bool same_version(const object& a, const object& b) noexcept
{
    return !a.resource_version().empty() && a.resource_version() == b.resource_version() && a.same_uid(b);
}

/// An object is now in the store that was not there before.
struct added
{
    /// The object as it is stored.
    object obj = {};
    /// Part of what was there when the informer, or this handler, began.
    bool initial = false;
};

/// An object of the same uid has a new version, or a resync shows the stored one again.
struct updated
{
    /// The object as it was.
    object before = {};
    /// The object as it is stored now.
    object after = {};

    /// A resync: nothing has changed.
    [[nodiscard]] bool resync() const noexcept
    {
        // Not the same block: what rests compressed may have been packed anew while two resyncs waited and were merged.
        return before.is_same(after) || same_version(before, after);
    }
};

/// How an object left the store.
enum class departure : std::uint8_t
{
    /// It was deleted, or does not match the selectors any more.
    deleted,
    /// The informer does not cover its namespace any more (shared_informer::remove_namespace): it may well be there.
    namespace_left,
    /// The server does not know the kind any more: its definition was deleted.
    kind_gone
};
/// The reason's name.
[[nodiscard]] std::string_view to_string(departure d) noexcept;

/// An object has left the store.
struct deleted
{
    /// The final state the server sent with the deletion; the last known state if final_state_unknown.
    object obj = {};
    /// The deletion was seen by a relist only (or as a new uid under the old key): nobody told us the last state.
    bool final_state_unknown = false;
    /// Why it has left the store.
    departure why = departure::deleted;
};

/** One change of an informer's store, in the words of the store: every handler sees, for each key, a chain in which
    `before` is what it was told last.

    A new uid under an old key is a `deleted` and an `added`, never an `updated`. */
using notification = std::variant<added, updated, deleted>;

/** Says which objects a reader wants to hear of. Must depend on the object alone and be quick; called by the reader's
    side, never twice at once. */
using object_filter = std::function<bool(const object&)>;

/// What becomes of notifications that wait for a reader who is behind.
enum class coalesce
{
    /// Every event is delivered while no more than max_pending wait; beyond that, events of one key merge: oldest
    /// `before`, newest `after`, an add and its deletion vanish. Memory is bounded by the number of keys.
    hybrid,
    /** Every event, or a clear end: when more than max_pending wait, the reader still gets what waits, in order and
        without a gap, and then it is over, with cond::expired. It may join anew. Nobody else is held up meanwhile, and
        neither is the watch. Initial adds do not count, nor do resyncs, of which one is skipped while another waits.

        "Every event" is every one the informer has seen: what happened between two lists nobody can tell. */
    never,
    /// At most one event per key waits, and it is always the newest; two where a deletion is followed by an add, which
    /// the reader has to hear of both.
    latest_per_key
};

/// The enumerator's name. Static storage.
[[nodiscard]] std::string_view to_string(coalesce policy) noexcept;

/// The object a notification is about: the new state, or for `deleted` the last one.
[[nodiscard]] const object& object_of(const notification& n) noexcept;

} // namespace kubecoro
