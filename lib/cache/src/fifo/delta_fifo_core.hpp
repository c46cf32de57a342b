#pragma once

#include "fifo/delta.hpp"
#include "fifo/key_set.hpp"

#include <kubecoro/cache/order.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

struct delta_fifo_limits
{
    /// Size from which full() is true, so that the reader waits. A whole list counts as one.
    std::size_t max_pending = 2000;
    /// Maximum number of deltas pop() returns; all deltas of a key form one step that is not split.
    std::size_t max_batch = 1000;
    order sequence = order::global;
};

/** Queues the deltas between an informer's reflectors and its store: in order of arrival, or with the deltas of a key
    grouped at the position of its first.

    Sans-io, not thread safe; used on the informer's strand. A list is one delta. It is compared with the store when it
    is popped, after everything queued before it: objects missing from the list were deleted, and the store has their
    last known state. */
class delta_fifo_core
{
public:
    explicit delta_fifo_core(delta_fifo_limits limits = {});

    /// Adds a reflector; it counts as unsynced until its first list was processed.
    [[nodiscard]] std::size_t add_scope();
    /// Removes a reflector; none of its deltas may be queued any more. Its number is not reused.
    void remove_scope(std::size_t scope);

    /// Queues added, updated or deleted. Consecutive deletions of a key are reduced to the first.
    void push(delta_type type, object obj);
    /// Queues a whole list of a scope.
    void replace(std::size_t scope, std::vector<object> items, std::string resource_version);
    /// Queues a mark: everything up to this version has been pushed.
    void version(std::size_t scope, std::string resource_version);
    /// Queues a resync of one handler: to_show() returns its objects when the delta is popped.
    void sync(std::uint64_t target);

    /// Returns the next deltas in order: many single ones, or one list or sync alone. Marks the previous batch as
    /// processed.
    [[nodiscard]] std::vector<delta> pop();
    /// Called when the last batch has been applied and announced.
    void processed();

    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    /// Number of queued deltas, lists and marks.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool full() const noexcept { return size_ >= limits_.max_pending; }
    [[nodiscard]] bool has_pending(object_key_view key) const;
    /// Returns the stored objects that a resync delivers: those without a pending, that is, newer, delta.
    [[nodiscard]] std::vector<object> to_show(std::vector<object> stored) const;

    /// True when every scope's first list has been processed, that is, after processed(), not already when it was
    /// popped.
    [[nodiscard]] bool synced() const noexcept { return unsynced_ == 0 && !scopes_.empty(); }
    [[nodiscard]] bool synced(std::size_t scope) const { return scopes_.at(scope) == population::processed; }

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
        bool last_is_deletion = false;
        /// Lists queued before the last delta: a deletion before a list does not make one after it redundant, and no
        /// delta moves past a list.
        std::uint64_t lists_before = 0;
        /// Position of the last delta, counted from the first ever queued.
        std::uint64_t place = 0;
    };
    /// One delta, or all waiting deltas of one key.
    struct step
    {
        delta first;
        std::vector<delta> more;
        [[nodiscard]] std::size_t size() const noexcept { return 1 + more.size(); }
    };

    void append(delta d);
    void forget(const step& s);

    delta_fifo_limits limits_;
    std::deque<step> queue_;
    /// Steps popped so far.
    std::uint64_t popped_ = 0;
    /// Deltas in the queue.
    std::size_t size_ = 0;
    object_map<pending> pending_;
    std::uint64_t lists_ = 0;
    std::map<std::size_t, population> scopes_;
    std::size_t next_scope_ = 0;
    std::size_t unsynced_ = 0;
    /// Scope whose first list is in the batch returned last.
    std::optional<std::size_t> populating_;
};

} // namespace kubecoro::detail
