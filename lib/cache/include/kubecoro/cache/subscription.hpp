#pragma once

#include <kubecoro/base/name_first.hpp>
#include <kubecoro/cache/event_handler.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// Options of one subscription, see shared_informer::subscribe().
struct subscription_options
{
    /// These two as in handler_options.
    coalesce policy = coalesce::hybrid;
    /// As in handler_options.
    std::size_t max_pending = 1024;
    /// Events one pop() hands out at most. 0 counts as 1.
    std::size_t max_batch = 256;
    /// Begins with the stored objects. False: only with what changes from now on, or, before the store is filled, after
    /// it has been; has_synced() then completes when the store is filled.
    bool initial = true;
    /// These as in handler_options.
    object_filter filter = {};
    /// As in handler_options.
    duration resync{0};
    /// For metrics, logs and describe().
    std::string name = {};
    KUBECORO_NAME_FIRST;
};

/** The pull side of an informer: its events, a batch at a time, for one coroutine.

        auto events = pods.subscribe();
        while (auto batch = co_await events.pop())
            for (auto& event : *batch) apply(event);

    Begins with one `added{initial}` for every stored object. Owned by one coroutine; destroying it ends the
    subscription. A slow reader is treated like a slow handler (handler_options::max_pending). */
class subscription
{
public:
    /// Nobody's: pop() is empty at once, ended() and has_synced() say cond::misconfigured. So is one moved from.
    subscription() = default;
    explicit subscription(std::shared_ptr<processor_listener> listener) : listener_(std::move(listener)) {}
    ~subscription();
    subscription(subscription&&) noexcept = default;
    subscription& operator=(subscription&& other) noexcept;

    /** The next events, at least one; empty when there will be no more: the informer has stopped (what was waiting is
        still handed out), close() was called, or the awaiting coroutine was cancelled. ended() says which.

        One pop() at a time. @par Cancellation  terminal, partial, total: no event is lost. */
    [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<notification>>> pop();

    /** Calls `f` with every event, one after the other; a plain function, a coroutine, or one that returns result<>.

        @return the first failure of `f`, or what it threw: no event after that one is lost, and pop() or for_each() may go
        on; else ended(), which is never success. @par Cancellation  as pop(); reaches `f`. */
    [[nodiscard]] boost::asio::awaitable<result<>> for_each(named_first<handler_slot<notification>> f);

    /// Why the last pop() came back empty; success when it did not.
    [[nodiscard]] result<> ended() const;

    /// Completes when the store is filled and every initial event was handed out and the next pop() begun. Errors as
    /// registration::has_synced. To be awaited by a coroutine other than the one that pops.
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const;
    /// The store is filled and pop() has handed out every initial event: with the last initial batch in hand, this is
    /// true already.
    [[nodiscard]] bool synced() const noexcept;

    /// Ends the subscription. Idempotent.
    void close();
    /// A picture of the present state. Any thread.
    [[nodiscard]] handler_stats stats() const;

private:
    std::shared_ptr<processor_listener> listener_;
};

} // namespace kubecoro
