#pragma once

#include "listener/processor_listener.hpp"
#include "store/departures.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** Distributes an informer's notifications to its listeners. Runs on the informer's strand.

    A listener joins between two batches, so that the store's content and the later events meet without gap or overlap.
    Ended listeners are dropped with the next batch, or when another one joins. */
class shared_processor
{
public:
    /// @param left  Counts the listeners that have ended.
    explicit shared_processor(departures left = {}) : left_(std::move(left)) {}

    /// Adds a listener that has got the store's content, which is complete when `synced`.
    void join(std::shared_ptr<processor_listener> listener, bool synced);
    /// The listeners that a batch is for, and how far its distribution has come.
    struct delivery
    {
        std::uint64_t done = 0;
        std::uint64_t last = 0;
        /// Events of the batch that the next listener has got.
        std::size_t taken = 0;
    };
    /// Returns a delivery to those that have joined. Later ones get the same changes with the stored objects.
    [[nodiscard]] delivery to_all() const noexcept { return {.done = 0, .last = joined_}; }
    /// Hands the batch to the listeners that have not got it, and takes the number of events for each off `most`. Returns
    /// false when that is used up: the next call continues. After an exception it does so with the listener that threw, and
    /// the event that it has not got.
    [[nodiscard]] bool distribute(std::span<const notification<object>> batch, delivery& to, std::size_t& most);
    /// Called when a change of the store is distributed as a whole.
    void end_change();
    /// Called when the store is complete: the events distributed so far are the initial ones.
    void mark_initial();
    [[nodiscard]] processor_listener* find(std::uint64_t id) const;

private:
    /// Drops the listeners that have ended since the last call.
    void sweep();

    struct member
    {
        /// Grows with every listener that joins.
        std::uint64_t number = 0;
        std::shared_ptr<processor_listener> listener;
    };

    std::vector<member> listeners_;
    std::uint64_t joined_ = 0;
    const departures left_;
    std::uint64_t swept_ = 0;
};

} // namespace kubecoro::detail
