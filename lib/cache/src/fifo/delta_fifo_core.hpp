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
    /// full() from here on: the reader is to wait. A whole list counts as one.
    std::size_t max_pending = 2000;
    /// Deltas pop() hands out at most; all deltas of a key together count as one step that is not cut in two.
    std::size_t max_batch = 1000;
    order sequence = order::global;
};

/** The deltas between the reflectors of an informer and its store, in the order in which they happened, or with those of a
    key gathered at the place of its first.

    Sans-io, not thread safe: it lives on the informer's strand. A list is one delta and is compared with the store when
    its turn comes, that is, with the store and everything that was queued before: what it lacks was deleted, and the
    last known state is at hand. */
class delta_fifo_core
{
public:
    explicit delta_fifo_core(delta_fifo_limits limits = {});

    /// Another reflector; it counts as unsynced until its first list was processed.
    [[nodiscard]] std::size_t add_scope();
    /// The reflector is gone; nothing of it may be queued any more. Its number is never used again.
    void remove_scope(std::size_t scope);

    /// added, updated or deleted. Of consecutive deletions of a key the first is kept.
    void push(delta_type type, object obj);
    /// A whole list of a scope.
    void replace(std::size_t scope, std::vector<object> items, std::string resource_version);
    /// Everything up to this version has been pushed.
    void version(std::size_t scope, std::string resource_version);
    /// Show the stored objects again to one handler: to_show() says which when its turn comes.
    void sync(std::uint64_t target);

    /// The next deltas in order: many single ones, or one list or sync alone. The batch before counts as processed.
    [[nodiscard]] std::vector<delta> pop();
    /// The last batch has been applied and announced.
    void processed();

    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    /// Deltas, lists and marks.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool full() const noexcept { return size_ >= limits_.max_pending; }
    [[nodiscard]] bool has_pending(object_key_view key) const;
    /// Of the stored objects those that a sync shows: a pending delta of one of the others tells something newer of it.
    [[nodiscard]] std::vector<object> to_show(std::vector<object> stored) const;

    /// Every scope's first list has been processed: true only after processed(), not when it was popped.
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
        /// delta overtakes a list.
        std::uint64_t lists_before = 0;
        /// The place of the last delta, counted from the first there ever was.
        std::uint64_t place = 0;
    };
    /// One delta, or all that wait of one key.
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
    /// Scope whose first list is in the batch handed out.
    std::optional<std::size_t> populating_;
};

} // namespace kubecoro::detail
