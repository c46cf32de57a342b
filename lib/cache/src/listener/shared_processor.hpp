#pragma once

#include "listener/processor_listener.hpp"
#include "store/departures.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** The listeners of an informer, and what it tells all of them. Lives on the informer's strand.

    A listener joins between two batches, so that what it is told first (the store's content) and what it is told then
    meet without a gap or an overlap. Those that have ended are dropped with the next batch, or when others join. */
class shared_processor
{
public:
    /// @param left  Counts the listeners that have ended.
    explicit shared_processor(departures left = {}) : left_(std::move(left)) {}

    /// @param stored  The store's content; `synced` when it is complete.
    void join(std::shared_ptr<processor_listener> listener, const std::vector<object>& stored, bool synced);
    /// Hands the batch to every listener; never waits for one.
    void distribute(std::span<const notification> batch);
    /// The store is complete: what was handed out so far are the initial events.
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
