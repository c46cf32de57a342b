#pragma once

#include <kubecoro/cache/notification.hpp>

#include <string_view>

namespace kubecoro {

/** Tests which part of an object an update changed, so that a handler can skip irrelevant updates: most updates of a
    Pod change only its status.

    Compares JSON values: the order of members and the notation of numbers do not count, and a missing member equals an
    empty or null one. Costs some hundred nanoseconds when nothing changed, because equal parts have equal bytes. A
    resync never counts as a change. Callable from any thread. */

/// Compares one top-level member of the object: `member_changed(event, "data")`.
[[nodiscard]] bool member_changed(const updated<object>& event, std::string_view member) noexcept;
/// The member `spec`.
[[nodiscard]] inline bool spec_changed(const updated<object>& event) noexcept { return member_changed(event, "spec"); }
/// The member `status`.
[[nodiscard]] inline bool status_changed(const updated<object>& event) noexcept
{
    return member_changed(event, "status");
}
/// The labels in its metadata.
[[nodiscard]] bool labels_changed(const updated<object>& event) noexcept;
/// The annotations in its metadata.
[[nodiscard]] bool annotations_changed(const updated<object>& event) noexcept;

// The same for updates of objects of kind T.

/// Compares one top-level member of the object.
template<class T>
[[nodiscard]] bool member_changed(const updated<T>& event, std::string_view member) noexcept
{
    return member_changed(updated<object>{event.before, event.after}, member);
}
/// The member `spec`.
template<class T>
[[nodiscard]] bool spec_changed(const updated<T>& event) noexcept
{
    return member_changed(event, "spec");
}
/// The member `status`.
template<class T>
[[nodiscard]] bool status_changed(const updated<T>& event) noexcept
{
    return member_changed(event, "status");
}
/// The labels in its metadata.
template<class T>
[[nodiscard]] bool labels_changed(const updated<T>& event) noexcept
{
    return labels_changed(updated<object>{event.before, event.after});
}
/// The annotations in its metadata.
template<class T>
[[nodiscard]] bool annotations_changed(const updated<T>& event) noexcept
{
    return annotations_changed(updated<object>{event.before, event.after});
}

} // namespace kubecoro
