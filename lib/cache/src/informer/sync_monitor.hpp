#pragma once

#include "informer/lane_set.hpp"
#include "listener/listener_registry.hpp"
#include "listener/shared_processor.hpp"
#include "store/sync_gate.hpp"
#include "waits/object_waiters.hpp"

#include <kubecoro/base/clock.hpp>

#include <mutex>
#include <optional>

namespace kubecoro::detail {

/** Decides when an informer has synced, and tells the waits for it why it cannot.

    Functions without a note are for the informer's strand. */
class sync_monitor
{
public:
    sync_monitor(const informer_settings& s, lane_set& lanes, listener_registry& registry, shared_processor& listeners,
                 object_waiters& waiters)
        : settings_(s), lanes_(lanes), registry_(registry), listeners_(listeners), waiters_(waiters)
    {
    }

    /// Opens when every namespace was listed once. Any thread.
    [[nodiscard]] const sync_gate& gate() const noexcept { return gate_; }
    /// Starts the measurement. Any thread.
    void start();
    /// Time from start() to the sync. Any thread.
    [[nodiscard]] std::optional<duration> time_to_sync() const;

    [[nodiscard]] bool synced() const noexcept { return synced_; }
    /// Notes a failure of a lane. Those that retries do not solve end the waits for the sync.
    void failed(informer_lane& l, const failure& why);
    /// A list of the lane has succeeded.
    void listed(informer_lane& l) { block(l, std::nullopt); }
    /// The first list of the lane is in the store.
    void stored(informer_lane& l, const store& content);
    /// Reports to all waits for the sync that it is blocked, or may succeed again.
    void tell_blocked();
    /// Passes the reason to a listener that joins.
    void tell_newcomer(const processor_listener& listener) const;
    /// Concludes the sync when every list has been processed. @param processed  delta_fifo::synced().
    void settle(bool processed, std::size_t objects);

private:
    void block(informer_lane& l, std::optional<failure> why);

    const informer_settings& settings_;
    lane_set& lanes_;
    listener_registry& registry_;
    shared_processor& listeners_;
    object_waiters& waiters_;
    const sync_gate gate_;
    bool synced_ = false;
    /// The waits know of a lane that cannot list.
    bool told_blocked_ = false;
    mutable std::mutex mutex_;
    // Guarded by mutex_:
    std::optional<time_point> started_;
    std::optional<duration> took_;
};

} // namespace kubecoro::detail
