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

    /// @param stored  The store's content, complete when `synced`.
    void join(std::shared_ptr<processor_listener> listener, const std::vector<object>& stored, bool synced);
    /// Hands the batch to every listener; never waits.
    void distribute(std::span<const notification> batch);
    /// Called when the store is complete: the events distributed so far are the initial ones.
    void mark_initial();
    [[nodiscard]] processor_listener* find(std::uint64_t id) const;

private:
    /// Drops the listeners that have ended since the last call.
    void sweep();

    std::vector<std::shared_ptr<processor_listener>> listeners_;
    const departures left_;
    std::uint64_t swept_ = 0;
};

} // namespace kubecoro::detail
