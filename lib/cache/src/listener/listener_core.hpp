#pragma once

#include "fifo/key_set.hpp"
#include "listener/key_turns.hpp"

#include <kubecoro/cache/notification.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace kubecoro::detail {

/** What waits for one handler.

    Sans-io, not thread safe. coalesce::hybrid: while no more than max_pending wait, it is a plain queue. Beyond that an
    event merges into the last waiting one of its key, so that at most max_pending plus two entries a key ever wait (two
    where a deletion is followed by an add). latest_per_key merges always; never does not, and takes nothing more when it
    is overrun. What the reader gets stays a chain for each key: an event's `before` is what the reader was told last. A
    merged event keeps the place of the older one.

    It is read either in batches, by pop() and finished(), or by key, by take() and done(): then several keys are in work at
    once, no key twice. */
class listener_core
{
public:
    explicit listener_core(std::size_t max_pending, coalesce policy = coalesce::hybrid);

    void add(const notification& n);
    void add(std::span<const notification> batch)
    {
        for (const auto& n : batch) add(n);
    }
    /// The stored objects again. The policy `never` skips them while earlier ones wait: nothing else bounds those.
    void add_resync(std::span<const notification> all);
    /// More than max_pending wait, and none may merge: what came last was not taken, nor will anything be.
    [[nodiscard]] bool overrun() const noexcept { return overrun_; }

    /// Everything added so far are the initial events.
    void mark_initial();

    /// The next events; they are in work until finished().
    [[nodiscard]] std::vector<notification> pop(std::size_t max);
    void finished() noexcept { finished_ = first_; }

    /// The next event whose key is not in work; that key is in work until done().
    [[nodiscard]] std::optional<notification> take();
    void done(object_key_view key) { turns_.done(key); }

    /// Drops what waits.
    void clear();

    [[nodiscard]] std::size_t pending() const noexcept { return live_ + turns_.waiting(); }
    [[nodiscard]] std::uint64_t coalesced() const noexcept { return coalesced_; }
    /// Every initial event was popped, or popped and finished.
    [[nodiscard]] bool initial_popped() const noexcept { return mark_ && first_ >= *mark_; }
    [[nodiscard]] bool initial_finished() const noexcept
    {
        return mark_ && finished_ >= *mark_ && turns_.initial() == 0;
    }
    /// mark_initial() was called.
    [[nodiscard]] bool marked() const noexcept { return mark_.has_value(); }

private:
    /// Empty: it merged with another into nothing.
    using entry = std::optional<notification>;

    [[nodiscard]] bool crowded() const noexcept { return pending() >= merge_from_; }
    [[nodiscard]] bool admit_replay(const notification& n);
    void merge(const notification& n);
    void merge_into_queue(object_map<std::uint64_t>::iterator found, const notification& n);
    void append(const notification& n);
    [[nodiscard]] notification take_front();
    void handed_out(const notification& n);
    void calm_down();
    void build_index();
    void drop(std::uint64_t position);
    void compact();
    void trim();
    [[nodiscard]] entry& at(std::uint64_t position) { return queue_[static_cast<std::size_t>(position - first_)]; }

    std::size_t max_pending_;
    coalesce policy_;
    /// So many wait when events begin to merge.
    std::size_t merge_from_;
    bool overrun_ = false;
    /// Of those that wait, by policy `never` only: initial adds and resyncs, which do not count against the bound.
    std::size_t replays_ = 0;
    /// Entries have positions: first_, first_ + 1, ...
    std::deque<entry> queue_;
    std::uint64_t first_ = 0;
    std::uint64_t finished_ = 0;
    bool in_work_ = false;
    std::size_t live_ = 0;
    /// The position up to which events are initial.
    std::optional<std::uint64_t> mark_;
    key_turns turns_;
    /// The last waiting entry of each key; made when events begin to merge, dropped when the queue has drained.
    std::optional<object_map<std::uint64_t>> last_;
    std::uint64_t coalesced_ = 0;
};

} // namespace kubecoro::detail
