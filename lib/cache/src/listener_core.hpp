#pragma once

#include "key_set.hpp"

#include <kubecoro/cache/notification.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace kubecoro {

/** What waits for one handler.

    Sans-io, not thread safe. While no more than max_pending wait, it is a plain queue. Beyond that an event merges into
    the last waiting one of its key, so that at most max_pending plus two entries a key ever wait (two where a deletion
    is followed by an add). What the reader gets stays a chain for each key: an event's `before` is what
    the reader was told last. A merged event keeps the place of the older one. */
class listener_core
{
public:
    explicit listener_core(std::size_t max_pending);

    void add(const notification& n);
    void add(std::span<const notification> batch)
    {
        for (const auto& n : batch) add(n);
    }

    /// Everything added so far are the initial events.
    void mark_initial();

    /// The next events; they are in work until finished().
    [[nodiscard]] std::vector<notification> pop(std::size_t max);
    void finished() noexcept { finished_ = first_; }

    /// Drops what waits.
    void clear();

    [[nodiscard]] std::size_t pending() const noexcept { return live_; }
    [[nodiscard]] std::uint64_t coalesced() const noexcept { return coalesced_; }
    /// Every initial event was popped, or popped and finished.
    [[nodiscard]] bool initial_popped() const noexcept { return mark_ && first_ >= *mark_; }
    [[nodiscard]] bool initial_finished() const noexcept { return mark_ && finished_ >= *mark_; }

private:
    /// Empty: it merged with another into nothing.
    using entry = std::optional<notification>;

    void merge(const notification& n);
    void append(const notification& n);
    void build_index();
    void drop(std::uint64_t position);
    void compact();
    void trim();
    [[nodiscard]] entry& at(std::uint64_t position) { return queue_[static_cast<std::size_t>(position - first_)]; }

    std::size_t max_pending_;
    /// Entries have positions: first_, first_ + 1, ...
    std::deque<entry> queue_;
    std::uint64_t first_ = 0;
    std::uint64_t finished_ = 0;
    bool in_work_ = false;
    std::size_t live_ = 0;
    /// The position up to which events are initial.
    std::optional<std::uint64_t> mark_;
    /// The last waiting entry of each key; made when more than max_pending wait, dropped when the queue has drained.
    std::optional<object_map<std::uint64_t>> last_;
    std::uint64_t coalesced_ = 0;
};

} // namespace kubecoro
