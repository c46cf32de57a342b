#pragma once

#include <kubecoro/cache/detail/typed_events.hpp>
#include <kubecoro/cache/event_handler.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro {

template<class T = object>
class subscription;

/** The pull interface of an informer: delivers its events in batches to one coroutine.

        auto events = pods.subscribe();
        while (auto batch = co_await events.pop())
            for (auto& event : *batch) apply(event);

    Starts with one `added{initial}` for every stored object. Owned by one coroutine; destroying it ends the
    subscription. A slow reader is treated like a slow handler (handler_options::max_pending). */
template<>
class subscription<object>
{
public:
    /// An empty subscription, as is a moved-from one: pop() is empty at once, end_reason() and has_synced() return
    /// cond::misconfigured.
    subscription() = default;
    /// Used by shared_informer::subscribe(). @param listener  Null makes an empty subscription.
    explicit subscription(std::shared_ptr<detail::processor_listener> listener) : listener_(std::move(listener)) {}
    ~subscription();
    subscription(subscription&&) noexcept = default;
    subscription& operator=(subscription&& other) noexcept;

    /** Returns the next events, at least one; empty when no more will come: the informer has stopped (waiting events
        are still delivered), close() was called, or the awaiting coroutine was cancelled. end_reason() returns which.

        Only one pop() at a time. @par Cancellation  terminal, partial, total: no event is lost. */
    [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<notification<object>>>> pop();

    /** Calls `f` with every event, one after the other; a plain function, a coroutine, or one that returns result<>.

        @return the first failure of `f`, or its exception: later events are not lost, and pop() or for_each() may
        continue; else end_reason(), which is never success. @par Cancellation  as pop(); reaches `f`. */
    [[nodiscard]] boost::asio::awaitable<result<>> for_each(detail::handler_slot<notification<object>> f);

    /// Returns why the last pop() was empty; success when it was not.
    [[nodiscard]] result<> end_reason() const;

    /// Completes when the store is filled, every initial event was returned and the next pop() has begun. Errors as
    /// registration::has_synced. Must be awaited by a coroutine other than the one that pops.
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const;
    /// True when the store is filled and pop() has returned every initial event, also while the last initial batch is
    /// being processed.
    [[nodiscard]] bool synced() const noexcept;

    /// Ends the subscription. Idempotent.
    void close();
    /// A picture of the present state. Any thread.
    [[nodiscard]] handler_stats stats() const;

private:
    std::shared_ptr<detail::processor_listener> listener_;
};

/// The pull interface of an informer of kind T. As subscription<object>, which it also is, with typed events.
template<class T>
class subscription : public subscription<object>
{
public:
    /// An empty subscription.
    subscription() = default;
    /// @param untyped  Delivers objects of kind T only.
    explicit subscription(subscription<object> untyped) : subscription<object>(std::move(untyped)) {}

    /// Returns the next events, at least one; empty when no more will come.
    [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<notification<T>>>> pop()
    {
        return typed_batch(subscription<object>::pop());
    }
    /// Calls `f` with every event, one after the other.
    [[nodiscard]] boost::asio::awaitable<result<>> for_each(detail::handler_slot<notification<T>> f)
    {
        return subscription<object>::for_each(detail::handler_slot<notification<object>>(f.get()));
    }

private:
    static boost::asio::awaitable<std::optional<std::vector<notification<T>>>>
    typed_batch(boost::asio::awaitable<std::optional<std::vector<notification<object>>>> next)
    {
        auto batch = co_await std::move(next);
        if (!batch) co_return std::nullopt;
        std::vector<notification<T>> out;
        out.reserve(batch->size());
        for (auto& n : *batch) out.push_back(detail::typed<T>(std::move(n)));
        co_return out;
    }
};

} // namespace kubecoro
