#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

/// The kinds of element in a delta_fifo.
enum class delta_type : std::uint8_t
{
    added,
    updated,
    deleted,
    /// A LIST: the complete content of its scope. Popped alone.
    replaced_all,
    /// The server no longer serves the resource: the scope has no content any more. Popped alone.
    vanished,
    /// Deliver the stored objects to one handler again. Popped alone.
    sync_all,
    /// Every change of the scope up to a resource version has been pushed.
    version
};

/// One element of a delta_fifo: a change of one object, a whole list, or a mark between them.
struct delta
{
    /// The content of a replaced_all.
    struct replaced_list
    {
        /// The listed objects, in the server's order.
        std::vector<object> items = {};
        /// Objects that are not among the items but still exist: their stored state does not change.
        std::vector<left_out_object> left_out = {};
        /// True for the first list of its scope.
        bool initial = false;
        /// Free for the processor, such as a number of items that are done; kept while the list comes again.
        std::size_t prepared = 0;
    };

    /// Its kind; the other members apply to some kinds only.
    delta_type type = delta_type::added;
    /// added, updated, deleted: the object.
    object obj = {};
    /// All but sync_all: the reflector that pushed it. Set by the FIFO.
    std::size_t scope = 0;
    /// replaced_all, version: the version reached.
    std::string resource_version = {};
    /// replaced_all: the list; else null.
    std::shared_ptr<replaced_list> all = {};
    /// sync_all: identifies the handler.
    std::uint64_t target = 0;
    /// Free for the processor; kept while the delta comes again.
    bool prepared = false;
};

/// Limits of a delta_fifo.
struct delta_fifo_options
{
    /// Deltas that wait until producers are held back. The items of a list count each. 0 = no limit.
    std::size_t max_pending = 2000;
    /// Heap bytes of the waiting objects until producers are held back, without those of lists: the producer of a list
    /// waits anyway. Each producer may exceed the limits by one push. 0 = no limit.
    std::size_t max_pending_bytes = 64 * 1024 * 1024;
    /// Largest number of deltas that pop() processes at a time. A list is one delta. 0 counts as 1.
    std::size_t max_batch = 1000;
};

/** The queue between reflectors and a store: bounded, in order of arrival, and processed by one consumer.

    Producers push from any thread and then await room(), which holds them back while the FIFO is full. The consumer is
    one coroutine on a strand:

        kubecoro::delta_fifo fifo;
        for (;;) {
            const auto popped = co_await fifo.pop(apply_to_store);
            if (!popped && popped.error() == kubecoro::cond::cancelled) co_return;
            if (!popped) co_await pause(popped.error()); // the same batch comes again
        }

    A batch leaves the FIFO when it has been processed: if processing fails, the next pop() passes the same batch again,
    so nothing is lost and nothing overtakes it (the ErrRequeue of client-go's Pop). One wake-up of the consumer serves
    everything that was pushed until then.

    A cheap handle: copies share one FIFO. Functions without a note are for the consumer's strand. */
class delta_fifo
{
public:
    /// Processes a batch, which it may change in place. A failure or an exception keeps the batch, as changed.
    using processor = std::function<result<>(std::vector<delta>&)>;

    /// Creates an empty FIFO.
    explicit delta_fifo(delta_fifo_options options = {});

    /// Adds a reflector and returns its number, which is never reused. It counts as unsynced until its first list has
    /// been processed.
    [[nodiscard]] std::size_t add_scope();
    /// Removes a reflector: its waiting deltas are dropped, and so are those that it still pushes. A processor may call
    /// it too.
    void remove_scope(std::size_t scope);

    /// Pushes changes (added, updated, deleted), and the mark that everything up to this version has been pushed. Never
    /// waits: await room() afterwards. Consecutive deletions of an object are reduced to the first. Any thread.
    void push(std::size_t scope, std::vector<delta> changes, std::string resource_version);
    /// Pushes the complete content of a scope. Never waits. Any thread.
    void replace(std::size_t scope, std::vector<object> items, std::string resource_version,
                 std::vector<left_out_object> left_out = {});
    /// Pushes that a scope has no content any more, because the server does not serve it. Any thread.
    void vanish(std::size_t scope);
    /// Pushes a resync of one handler, unless one waits already. When it is processed, to_show() returns what to
    /// deliver. Any thread.
    void sync(std::uint64_t target);

    /// True while a producer need not wait: the FIFO is not full, and no list of this scope waits. Any thread.
    [[nodiscard]] bool has_room(std::size_t scope) const;
    /// Completes when has_room() is true. Any thread; one wait for each scope at a time.
    /// @par Errors        cond::cancelled, also when the FIFO was closed.
    /// @par Cancellation  terminal, partial, total: ends the wait only.
    [[nodiscard]] boost::asio::awaitable<result<>> room(std::size_t scope) const;

    /** Waits until something was pushed, and processes the next batch: up to `max_batch` changes and marks, or a list, a
        vanished scope or a sync alone. `process` runs on the awaiting coroutine's executor, and never after the wait was
        cancelled. One consumer at a time.

        @par Errors        the failure of `process`, or its exception as one; cond::cancelled when the FIFO was closed.
        @par Cancellation  terminal, partial, total: ends the wait; nothing is lost. */
    [[nodiscard]] boost::asio::awaitable<result<>> pop(processor process);

    /// Ends every current and later wait with cond::cancelled. Any thread.
    void close();

    /// Number of deltas that wait or are being processed; the items of a list count each. Any thread.
    [[nodiscard]] std::size_t size() const;
    /// True when an object of this key waits, or is in a batch that failed, so that its stored state is about to change.
    [[nodiscard]] bool has_pending(object_key_view key);
    /// Returns those of the stored objects that a resync delivers: the ones without waiting deltas.
    [[nodiscard]] std::vector<object> to_show(std::vector<object> stored);
    /// True when the first list of every scope has been processed. False without scopes.
    [[nodiscard]] bool synced();

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
