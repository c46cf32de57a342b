#pragma once

#include <kubecoro/cache/notification.hpp>

#include <functional>
#include <vector>

namespace kubecoro {

/** Selects the events that matter to a controller. Empty = all.

    Called in order, by one coroutine per source. An exception drops that event: it is counted and logged. Predicates
    run after the cache, so they save runs, not memory. */
using predicate = std::function<bool(const notification<object>&)>;

/** Common predicates. Those about a change filter only `updated`: additions and deletions always pass. */
namespace predicates {

/// metadata.generation differs (the server's notion of a spec change), or the deletion has begun, whether the server
/// counts that or not. For kinds without a generation (ConfigMap, Secret) it acts as resource_version_changed().
[[nodiscard]] predicate generation_changed();
/// The labels differ, by value.
[[nodiscard]] predicate labels_changed();
/// The annotations differ, by value.
[[nodiscard]] predicate annotations_changed();
/// True unless the event is a resync.
[[nodiscard]] predicate resource_version_changed();
/// `f` holds for the object or, for an update, for the old or the new one: leaving a selection is an event as well.
[[nodiscard]] predicate matches(std::function<bool(const object&)> f);

/// True when empty. Short-circuits.
[[nodiscard]] predicate all_of(std::vector<predicate> all);
/// False when empty. Short-circuits.
[[nodiscard]] predicate any_of(std::vector<predicate> any);
/// Its opposite.
[[nodiscard]] predicate not_(predicate p);

} // namespace predicates
} // namespace kubecoro
