#pragma once
// Converts a batch of events to a batch of keys. Sans-io.

#include "queue/key_batch.hpp"

#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/enqueue.hpp>
#include <kubecoro/controller/predicate.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** Converts the events of one source that pass its predicate to keys. Not thread safe.

    Keys of initial and unchanged objects are kept apart, because they are less urgent. */
class event_mapper
{
public:
    /// An event on which the user's function threw.
    struct failed_event
    {
        object_key key;
        failure why;
    };

    /// An event and its keys, which are neighbours in their batch.
    struct origin
    {
        std::size_t event;
        bool unchanged;
        std::size_t first;
        std::size_t last;
    };

    event_mapper(enqueue map, predicate filter) : map_(std::move(map)), filter_(std::move(filter)) {}

    /// Replaces the results of the previous call. Throws, for lack of memory; it may then be called again with the same
    /// events. @param traced  Whether origins() are noted.
    void map(std::span<const notification<object>> events, bool traced = false);

    [[nodiscard]] const key_batch& changed() const noexcept { return changed_; }
    [[nodiscard]] const key_batch& unchanged() const noexcept { return unchanged_; }
    /// One for each event that has keys.
    [[nodiscard]] const std::vector<origin>& origins() const noexcept { return origins_; }
    [[nodiscard]] const std::vector<failed_event>& failed() const noexcept { return failed_; }

private:
    enqueue map_;
    predicate filter_;
    key_batch changed_;
    key_batch unchanged_;
    std::vector<origin> origins_;
    std::vector<failed_event> failed_;
};

} // namespace kubecoro::detail
