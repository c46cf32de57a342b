#pragma once

#include "processor_listener.hpp"
#include "sweep_pace.hpp"

#include <memory>
#include <span>
#include <vector>

namespace kubecoro {

/** The listeners of an informer, and what it tells all of them. Lives on the informer's strand.

    A listener joins between two batches, so that what it is told first (the store's content) and what it is told then
    meet without a gap or an overlap. Those that have ended are dropped with the next batch, or when others join. */
class shared_processor
{
public:
    /// @param stored  The store's content; `synced` when it is complete.
    void join(std::shared_ptr<processor_listener> listener, const std::vector<object>& stored, bool synced);
    /// Hands the batch to every listener; never waits for one.
    void distribute(std::span<const notification> batch);
    /// The store is complete: what was handed out so far are the initial events.
    void mark_initial();
    [[nodiscard]] processor_listener* find(std::uint64_t id) const;

private:
    void sweep();

    std::vector<std::shared_ptr<processor_listener>> listeners_;
    sweep_pace pace_;
};

} // namespace kubecoro
