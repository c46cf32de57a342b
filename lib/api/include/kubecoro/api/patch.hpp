#pragma once
// Patches made from versions of an object, for the verbs that send patches.

#include <kubecoro/base/result.hpp>

#include <boost/json/fwd.hpp>

namespace kubecoro {

/** The JSON merge patch (RFC 7386) that turns `from` into `to`: changed members, and null for members that are gone. A
    list that changed is in it as a whole. Empty if nothing changed. For objects of every kind.

    A merge patch cannot set a member to null; null in `to` removes it. */
[[nodiscard]] boost::json::object merge_patch(const boost::json::object& from, const boost::json::object& to);

/** The JSON merge patch that brings `current` to what is wanted, as `kubectl apply` makes it for custom kinds: it sets
    what `wanted` says and `current` does not, and removes what was in `last_applied` and is no longer wanted. Other
    members of `current` stay. */
[[nodiscard]] boost::json::object three_way_merge_patch(const boost::json::object& last_applied,
                                                        const boost::json::object& wanted,
                                                        const boost::json::object& current);

/** The strategic merge patch that turns `from` into `to`, as client-go's CreateTwoWayMergePatch makes it: lists with a merge
    key are merged by it, in the order of `to`, so that other writers' items stay. For built-in kinds; merge keys and
    strategies come from their schemas. Empty if nothing changed.

    @par Errors  cond::invalid, naming the field: `to` has no apiVersion and kind of a built-in kind; a list to be
                 merged has an item without its merge key, two with the same, items of different types, or lists. */
[[nodiscard]] result<boost::json::object> strategic_merge_patch(const boost::json::object& from,
                                                                const boost::json::object& to);

} // namespace kubecoro
