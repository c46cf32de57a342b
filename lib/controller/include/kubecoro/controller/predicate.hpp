#pragma once

#include <kubecoro/cache/notification.hpp>

#include <functional>
#include <vector>

namespace kubecoro {

/** Says whether an event matters to a controller. Empty = every event does.

    Called in order, from one coroutine per source. What it throws loses that event: it is counted and logged. It runs
    after the cache, so it saves runs, not memory. */
using predicate = std::function<bool(const notification&)>;

/** The usual ones. Those about a change look at `updated` only: what was added or deleted always passes. */
namespace predicates {

/// metadata.generation differs: the spec, as the server sees it, or the object is being deleted. For kinds without a
/// generation (ConfigMap, Secret) it is resource_version_changed().
[[nodiscard]] predicate generation_changed();
/// The labels differ, by value.
[[nodiscard]] predicate labels_changed();
/// The annotations differ, by value.
[[nodiscard]] predicate annotations_changed();
/// Not a resync.
[[nodiscard]] predicate resource_version_changed();
/// `f` holds for the object or, of an update, for the one before or after: leaving a selection is an event as well.
[[nodiscard]] predicate matches(std::function<bool(const object&)> f);

/// True when there are none. Asks no further than it must.
[[nodiscard]] predicate all_of(std::vector<predicate> all);
/// False when there are none.
[[nodiscard]] predicate any_of(std::vector<predicate> any);
/// Its opposite.
[[nodiscard]] predicate not_(predicate p);

} // namespace predicates
} // namespace kubecoro
