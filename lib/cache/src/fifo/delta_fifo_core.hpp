#pragma once

#include "fifo/key_set.hpp"

#include <kubecoro/cache/delta_fifo.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// The part of the limits that some deltas use up.
struct delta_load
{
    std::size_t deltas = 0;
    std::size_t bytes = 0;

    delta_load& operator+=(const delta_load& other) noexcept
    {
        deltas += other.deltas;
        bytes += other.bytes;
        return *this;
    }
    delta_load& operator-=(const delta_load& other) noexcept
    {
        deltas -= other.deltas;
        bytes -= other.bytes;
        return *this;
    }
};
/// The bytes of a list do not count: its producer waits until the list has been processed, whatever its size.
[[nodiscard]] delta_load load_of(const delta& d) noexcept;

/** Queues deltas in order of arrival, and knows which keys are pending.

    Sans-io, not thread safe. A list is one delta. It is compared with the store when it is popped, after everything
    queued before it: objects missing from the list were deleted, and the store has their last known state. Every
    function that throws leaves the queue as it was. */
class delta_fifo_core
{
public:
    explicit delta_fifo_core(std::size_t max_batch = 1000);

    /// Adds a reflector; it counts as unsynced until its first list was processed.
    void add_scope(std::size_t scope);
    /// Removes a reflector; pop() drops its deltas.
    void remove_scope(std::size_t scope);

    /// Queues a delta and moves from it. Returns false for a deletion that follows one of the same key: it is not
    /// queued.
    bool push(delta& d);

    /// The next deltas in order: many single ones and version marks, or any other kind alone. Empty when nothing is
    /// queued.
    struct popped
    {
        std::vector<delta> batch = {};
        /// Share of the limits that deltas of removed scopes had, which are gone.
        delta_load dropped = {};
    };
    [[nodiscard]] popped pop();
    /// Called when the last batch has been processed.
    void processed();

    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    /// Number of queued deltas, lists and marks.
    [[nodiscard]] std::size_t size() const noexcept { return queue_.size(); }
    [[nodiscard]] bool has_pending(object_key_view key) const { return pending_.contains(key); }
    /// Returns the stored objects that a resync delivers: those without a pending, that is, newer, delta.
    [[nodiscard]] std::vector<object> to_show(std::vector<object> stored) const;

    /// True when every scope's first list has been processed, not already when it was popped.
    [[nodiscard]] bool synced() const noexcept { return unsynced_ == 0 && !scopes_.empty(); }
    [[nodiscard]] bool has_scope(std::size_t scope) const { return scopes_.contains(scope); }

private:
    enum class population
    {
        missing,
        queued,
        processed
    };
    struct pending
    {
        std::size_t count = 0;
        /// The scope of the last delta.
        std::size_t scope = 0;
        bool last_is_deletion = false;
        /// Lists queued before the last delta: a deletion before a list does not make one after it redundant.
        std::uint64_t lists_before = 0;
    };

    bool push_single(delta& d);
    void note_list(delta& d);
    void forget(const object& o);

    std::size_t max_batch_;
    std::deque<delta> queue_;
    object_map<pending> pending_;
    std::uint64_t lists_ = 0;
    std::map<std::size_t, population> scopes_;
    std::size_t unsynced_ = 0;
    /// Scope whose first list is the batch returned last.
    std::optional<std::size_t> populating_;
};

} // namespace kubecoro::detail
