#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/typed_object.hpp>

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>

namespace kubecoro {

/// True when resourceVersion and uid are equal, that is, when the server reports no change. False for empty versions.
[[nodiscard]] inline bool same_version(const object& a, const object& b) noexcept
{
    return !a.resource_version().empty() && a.resource_version() == b.resource_version() && a.same_uid(b);
}

/// An object entered the store. T is its kind, or `object`.
template<class T = object>
struct added
{
    /// The object as it is stored.
    detail::object_handle<T> obj = {};
    /// The object was already stored when the handler joined, or was part of the first list.
    bool initial = false;
};

/// An object of the same uid has a new version, or a resync shows the stored one again.
template<class T = object>
struct updated
{
    /// The object as it was.
    detail::object_handle<T> before = {};
    /// The object as it is stored now.
    detail::object_handle<T> after = {};

    /// True for a resync: nothing has changed.
    [[nodiscard]] bool resync() const noexcept
    {
        // Comparing addresses is not enough: a compressed object may be recompressed while two resyncs wait and merge.
        const object &old = detail::untyped(before), &now = detail::untyped(after);
        return old.is_same(now) || same_version(old, now);
    }
};

/// How an object left the store.
enum class departure : std::uint8_t
{
    /// The object was deleted, or no longer matches the selectors.
    deleted,
    /// The informer no longer covers its namespace (shared_informer::remove_namespace); the object may still exist.
    namespace_left,
    /// The server no longer serves the kind: its definition was deleted.
    kind_gone,
    /// The object is no longer of informer_options::share; it may still exist.
    share_left
};
/// The reason's name.
[[nodiscard]] std::string_view to_string(departure d) noexcept;

/// An object left the store.
template<class T = object>
struct deleted
{
    /// The final state the server sent with the deletion; the last known state if final_state_unknown.
    detail::object_handle<T> obj = {};
    /// The deletion was noticed by a relist only (or by a new uid under the old key), so the final state is unknown.
    bool final_state_unknown = false;
    /// Why it has left the store.
    departure why = departure::deleted;
};

/** One change of an informer's store. For each key, every handler sees a chain in which `before` is the state delivered
    last.

    A new uid under an old key is a `deleted` and an `added`, never an `updated`. */
template<class T = object>
using notification = std::variant<added<T>, updated<T>, deleted<T>>;

/// Policy for notifications that wait while their reader is behind.
enum class coalesce
{
    /// Delivers every event while at most max_pending wait, with less than 64 MiB of objects. Beyond that, events of
    /// one key merge: the oldest `before` and the newest `after` are kept, and an add with its deletion cancel out.
    /// Memory is bounded by the number of keys.
    hybrid,
    /** Delivers every event or ends with an error: when more than max_pending events wait, or more than 64 MiB of
        objects (64 KiB for each of max_pending if that is more), the reader still gets the waiting events, in order and
        without a gap, and then ends with cond::expired. It may join again. Other readers and the watch are not delayed.
        Initial adds and resyncs do not count; a resync is skipped while another one waits.

        "Every event" means every event the informer has seen: changes between two lists cannot be known. */
    never,
    /// Keeps at most one waiting event per key, always the newest; two where a deletion is followed by an add, since
    /// the reader has to receive both.
    latest_per_key
};

/// Returns the enumerator's name. Static storage.
[[nodiscard]] std::string_view to_string(coalesce policy) noexcept;

/// Returns the object a notification is about: the new state, or for `deleted` the last one.
[[nodiscard]] const object& object_of(const notification<object>& n) noexcept;
/// The same with its kind.
template<class T>
[[nodiscard]] const typed_object<T>& object_of(const std::variant<added<T>, updated<T>, deleted<T>>& n) noexcept
{
    if (const auto* now = std::get_if<updated<T>>(&n)) return now->after;
    if (const auto* gone = std::get_if<deleted<T>>(&n)) return gone->obj;
    return std::get_if<added<T>>(&n)->obj;
}
/// The object of a temporary notification, which a reference would outlive.
[[nodiscard]] inline object object_of(notification<object>&& n) noexcept { return object_of(std::as_const(n)); }
/// The same with its kind.
template<class T>
[[nodiscard]] typed_object<T> object_of(std::variant<added<T>, updated<T>, deleted<T>>&& n) noexcept
{
    return object_of(std::as_const(n));
}

} // namespace kubecoro
