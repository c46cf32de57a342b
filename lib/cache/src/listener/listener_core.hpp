#pragma once

#include "fifo/key_set.hpp"
#include "listener/key_turns.hpp"

#include <kubecoro/cache/notification.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** The queue of events for one handler.

    Sans-io, not thread safe. coalesce::hybrid: a plain queue while at most max_pending events wait, whose objects have
    less than max_bytes. Beyond that an event merges into the last waiting one of its key, so at most max_pending plus
    two entries per key wait (two where a deletion is followed by an add). latest_per_key always merges; never does not,
    and accepts nothing more once it is overrun, by events or by bytes: it has the same bounds, and that in bytes grows
    with max_pending. The reader gets a chain for each key: an event's `before` is the state
    delivered last. A merged event keeps the position of the older one.

    Read either in batches, by pop() and finished(), or by key, by take() and done(); in the latter case several keys
    may be in progress at once, no key twice. */
class listener_core
{
public:
    /// Heap bytes of the objects of waiting events, as for a delta_fifo: a user who rewrites one large object could
    /// otherwise have max_pending states of it kept.
    static constexpr std::size_t most_bytes = std::size_t{64} * 1024 * 1024;
    /// Policy `never` only: as many bytes may wait for each event of max_pending, if that is more than max_bytes: its
    /// caller has asked for that many events.
    static constexpr std::size_t bytes_an_event = std::size_t{64} * 1024;

    explicit listener_core(std::size_t max_pending, coalesce policy = coalesce::hybrid,
                           std::size_t max_bytes = most_bytes);

    void add(const notification<object>& n);
    void add(std::span<const notification<object>> batch)
    {
        std::size_t taken = 0;
        add(batch, taken);
    }
    /// The same from event `taken` on, which grows with each: after an exception, for lack of memory, the batch can be
    /// added again.
    void add(std::span<const notification<object>> batch, std::size_t& taken);
    /// Whether some event may merge into one that waits. An add starts a new one, so that a first list needs no index.
    [[nodiscard]] static bool merges(std::span<const notification<object>> batch) noexcept;
    /// Whether a resync may be added. The policy `never` skips it while an earlier one waits, since nothing else bounds
    /// resyncs.
    [[nodiscard]] bool takes_resync() const noexcept { return policy_ != coalesce::never || replays_ == 0; }
    /// If events would merge now: makes their index of the waiting events, up to `most` of them, and takes these off
    /// `most`. Returns whether it is complete; add() would make the rest at once.
    [[nodiscard]] bool index_some(std::size_t& most);
    /// True when more events or bytes waited than may, and none could merge: later events are dropped.
    [[nodiscard]] bool overrun() const noexcept { return overrun_; }
    /// Names what was too much.
    [[nodiscard]] std::string_view overrun_by() const noexcept
    {
        return overrun_by_bytes_ ? "events with too many bytes of objects" : "more than max_pending events";
    }

    /// Marks everything added so far as the initial events.
    void mark_initial();

    /// Returns the next events; they are in progress until finished().
    [[nodiscard]] std::vector<notification<object>> pop(std::size_t max);
    void finished() noexcept { finished_ = first_; }

    /// Returns the next event whose key is not in progress; that key is in progress until done().
    [[nodiscard]] std::optional<notification<object>> take();
    void done(object_key_view key) { turns_.done(key); }

    /// Drops waiting events. Most of their memory is freed by free_some().
    void clear();
    /// Frees up to `most` events. Returns whether more are left.
    bool free_some(std::size_t most) noexcept;

    [[nodiscard]] std::size_t pending() const noexcept { return live_ + turns_.waiting(); }
    /// Heap bytes of their objects.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_ + turns_.bytes(); }
    [[nodiscard]] std::uint64_t coalesced() const noexcept { return coalesced_; }
    /// True when every initial event was popped, or popped and finished.
    [[nodiscard]] bool initial_popped() const noexcept { return mark_ && first_ >= *mark_; }
    [[nodiscard]] bool initial_finished() const noexcept
    {
        return mark_ && finished_ >= *mark_ && turns_.initial() == 0;
    }
    /// True after mark_initial().
    [[nodiscard]] bool marked() const noexcept { return mark_.has_value(); }

private:
    /// A waiting event; empty when it cancelled out with another one. As large as an optional of the event.
    class entry
    {
    public:
        explicit entry(const notification<object>& n);

        [[nodiscard]] explicit operator bool() const noexcept { return waits_; }
        [[nodiscard]] notification<object>& operator*() noexcept { return event_; }
        [[nodiscard]] const notification<object>& operator*() const noexcept { return event_; }
        /// Heap bytes of its object.
        [[nodiscard]] std::uint32_t bytes() const noexcept { return bytes_; }
        void weigh() noexcept;
        void clear() noexcept;

    private:
        notification<object> event_;
        std::uint32_t bytes_ = 0;
        bool waits_ = true;
    };

    [[nodiscard]] bool crowded() const noexcept { return pending() >= merge_from_ || bytes() >= max_bytes_; }
    [[nodiscard]] bool admits(const notification<object>& n);
    void merge(const notification<object>& n);
    void merge_into_queue(object_map<std::uint64_t>::iterator found, const notification<object>& n);
    void append(const notification<object>& n);
    [[nodiscard]] notification<object> take_front();
    void handed_out(const notification<object>& n);
    void calm_down();
    /// Adds the entries to the index that have come since it was complete.
    void index_until(std::uint64_t end);
    void drop(std::uint64_t position);
    void compact();
    void trim();
    [[nodiscard]] entry& at(std::uint64_t position) { return queue_[static_cast<std::size_t>(position - first_)]; }

    std::size_t max_pending_;
    std::size_t max_bytes_;
    coalesce policy_;
    /// Number of waiting events from which events merge.
    std::size_t merge_from_;
    bool overrun_ = false;
    bool overrun_by_bytes_ = false;
    /// Policy `never` only: waiting initial adds and resyncs, which do not count against the bounds.
    std::size_t replays_ = 0;
    std::size_t replay_bytes_ = 0;
    /// Entries have positions: first_, first_ + 1, ...
    std::deque<entry> queue_;
    std::deque<entry> dropped_;
    std::uint64_t first_ = 0;
    std::uint64_t finished_ = 0;
    bool in_work_ = false;
    std::size_t live_ = 0;
    /// The sum over the entries.
    std::size_t bytes_ = 0;
    /// The position up to which events are initial.
    std::optional<std::uint64_t> mark_;
    key_turns turns_;
    /// The last waiting entry of each key before `indexed_`; built when events begin to merge, dropped when the queue has
    /// drained.
    std::optional<object_map<std::uint64_t>> last_;
    std::uint64_t indexed_ = 0;
    std::uint64_t coalesced_ = 0;
};

} // namespace kubecoro::detail
