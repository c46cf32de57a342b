#pragma once

#include "fifo/key_set.hpp"

#include <kubecoro/cache/notification.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace kubecoro::detail {

/** Which keys are in work, and the events that wait behind them: several keys at once, no key twice at once.

    Sans-io, not thread safe. Belongs to a listener_core, whose queue holds the rest. */
class key_turns
{
public:
    /// An event, and whether it counts as one of the initial ones.
    struct turn
    {
        notification event;
        bool initial = false;
    };

    /// Takes the key of the event into work, or lets the event wait behind the one that is.
    [[nodiscard]] std::optional<notification> begin(turn t);
    /// An event that waited behind one of its key that has ended since; the oldest of such keys first.
    [[nodiscard]] std::optional<notification> next();
    /// The event of this key in work has ended.
    void done(object_key_view key);

    /// The last event that waits behind this key; null when none does.
    [[nodiscard]] notification* last(object_key_view key);
    /// Takes that one away.
    void drop_last(object_key_view key);
    /// Drops what waits; what is in work stays in work.
    void clear();

    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    [[nodiscard]] std::size_t in_work() const noexcept { return in_work_; }
    /// Initial events that wait here or are in work.
    [[nodiscard]] std::size_t initial() const noexcept { return initial_; }

private:
    struct line
    {
        std::vector<turn> waiting;
        bool busy = false;
        /// What is in work is initial.
        bool initial = false;
    };

    notification take(line& l, turn t);

    /// Of the keys in work or with something that waits. The handle is the first event's, let go with the last.
    object_map<line> lines_;
    /// Keys whose turn it is.
    std::deque<object> ready_;
    std::size_t waiting_ = 0;
    std::size_t in_work_ = 0;
    std::size_t initial_ = 0;
};

} // namespace kubecoro::detail
