#pragma once

#include "fifo/key_set.hpp"

#include <kubecoro/cache/notification.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** The keys being processed and the events waiting behind them: several keys at once, no key twice at once.

    Sans-io, not thread safe. Part of a listener_core, whose queue holds the other events. */
class key_turns
{
public:
    /// An event, and whether it counts as initial.
    struct turn
    {
        notification<object> event;
        bool initial = false;
        /// Heap bytes of its object.
        std::uint32_t bytes = 0;
    };

    /// Starts processing the event, or queues it behind the one of its key in progress.
    [[nodiscard]] std::optional<notification<object>> begin(turn t);
    /// Returns a waiting event whose key is free again; the key that became free first comes first.
    [[nodiscard]] std::optional<notification<object>> next();
    /// Called when the event of this key in progress has ended.
    void done(object_key_view key);

    /// Returns the last event that waits behind this key, or null.
    [[nodiscard]] turn* last(object_key_view key);
    /// An event that waits was merged, and its object has these bytes now.
    void merged(turn& t, std::uint32_t bytes) noexcept
    {
        bytes_ = bytes_ - t.bytes + bytes;
        t.bytes = bytes;
    }
    /// Removes that event.
    void drop_last(object_key_view key);
    /// Drops waiting events; those in progress stay.
    void clear();

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    /// Heap bytes of the objects of the waiting events.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t in_work() const noexcept { return in_work_; }
    /// Number of initial events waiting here or in progress.
    [[nodiscard]] std::size_t initial() const noexcept { return initial_; }

private:
    struct line
    {
        /// Those before `taken` are gone. Empty if none waits.
        std::vector<turn> waiting;
        std::size_t taken = 0;
        bool busy = false;
        /// The event in progress is initial.
        bool initial = false;

        [[nodiscard]] turn take_first();
    };

    notification<object> take(line& l, turn t);

    /// The keys in progress or with waiting events. The key's handle is that of the first event, released with the last
    /// one.
    object_map<line> lines_;
    /// Keys that are free and have waiting events.
    std::deque<object> ready_;
    std::size_t waiting_ = 0;
    std::size_t bytes_ = 0;
    std::size_t in_work_ = 0;
    std::size_t initial_ = 0;
};

} // namespace kubecoro::detail
