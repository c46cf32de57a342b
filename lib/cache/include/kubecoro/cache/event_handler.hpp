#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/detail/handler_slot.hpp>
#include <kubecoro/cache/notification.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace kubecoro {

/** The three callbacks of one handler, of which empty ones do nothing, and how they are called.

    Each is a copyable callable that takes its event and returns void, awaitable<void> or awaitable<result<>>, whose failure is counted
    and logged. It lives until its last call has ended, so a coroutine lambda may use its captures and the event.

    Calls for one object never overlap and come in order. Unless `concurrency` is set, no two calls of a handler overlap. Between handlers
    no order is promised. A call that throws or returns a failure is counted and logged; the next event follows. T is the kind of the
    objects, or `object`. */
template<class T = object>
struct event_handler
{
    /// Called for each object that appears, initial ones included.
    detail::handler_slot<added<T>> on_add = {};
    /// Called for each change, and for resyncs.
    detail::handler_slot<updated<T>> on_update = {};
    /// Called for each object that has left the store.
    detail::handler_slot<deleted<T>> on_delete = {};
    /// The handler runs on a strand of it. Empty = the informer's. Its context must outlive the informer.
    boost::asio::any_io_executor executor = {};
    /** Number of objects for which a coroutine handler may run at once: one call per object, in order for each object.
        The calls interleave on one strand, at suspension points, and never run in parallel, so the handler's own state
        needs no lock. Plain functions gain nothing. 0 counts as 1. */
    std::size_t concurrency = 1;
    /// A call that takes longer logs a warning, once for each streak of slow calls. 0 = never.
    saturating_duration slow_after = std::chrono::seconds{5};
};

/// Options of one handler or subscription, see shared_informer::add_event_handler() and subscribe().
struct handler_options
{
    /// Policy for events while the handler is behind.
    coalesce policy = coalesce::hybrid;
    /// Number of events that may wait before the policy applies, as it does from 64 MiB of their objects on;
    /// `latest_per_key` always applies. 0 counts as 1.
    std::size_t max_pending = 1024;
    /** Selects the objects to deliver; empty = all. Must depend on the object alone and be quick. An update that starts to match arrives as `added` (not initial),
        one that stops matching as `deleted` with the last delivered state. Called once per event, except for deletions, whose
        state need not match. When it throws, that counts as a failure, and the object keeps its previous match result. */
    std::function<bool(const object&)> filter = {};
    /// Starts with the stored objects. False: delivers later changes only, or, before the store is filled, changes
    /// after that; has_synced() then completes when the store is filled.
    bool initial = true;
    /// Interval at which every stored object is delivered again as `updated`, without a request. 0 = the informer's; otherwise at least 1 s.
    saturating_duration resync = {};
    /// Name in logs and describe(). Empty = a number.
    std::string name = {};
};

/// Counters of one handler or subscription.
struct handler_stats
{
    /// The name from its options.
    std::string name = {};
    /// How its notifications are merged.
    coalesce policy = coalesce::hybrid;
    /// Waiting events, without the batch being processed.
    std::size_t pending = 0;
    /// Notifications that it was called for.
    std::uint64_t delivered = 0;
    /// Events merged into an earlier one.
    std::uint64_t coalesced = 0;
    /// Events dropped by the filter.
    std::uint64_t filtered = 0;
    /// Calls that threw or returned a failure, and filters that threw.
    std::uint64_t failed = 0;
    /// Calls in progress, and the running time of the longest of them.
    std::size_t running = 0;
    /// How long the longest call in progress has been running.
    duration running_for{0};
    /// Duration of the longest finished call.
    duration slowest{0};
    /// Calls that took longer than event_handler::slow_after.
    std::uint64_t slow = 0;
    /// Whether it has seen the first list.
    bool synced = false;
};

namespace detail {
class processor_listener;
}

/** Handle of a handler added to an informer. Cheap; copies refer to the same handler.

    Thread safe. Destroying it has no effect: the handler lives until it is removed or its informer stops. */
class registration
{
public:
    /// An empty handle, as is a moved-from one: tests false, awaiting it fails with cond::misconfigured, other calls do
    /// nothing.
    registration() = default;
    /// Used by shared_informer::add_event_handler(). @param listener  Null makes an empty handle.
    explicit registration(std::shared_ptr<detail::processor_listener> listener) : listener_(std::move(listener)) {}

    /** Completes when the store is filled and this handler has finished every initial add.

        @par Errors        the reason the informer cannot fill its store (forbidden, not_found, unauthorized, invalid,
        misconfigured); the reflector keeps retrying, and a later call may succeed. cond::cancelled when the handler is
        removed or the informer stops first, or when the informer's execution context is destroyed; a context whose
        run() has returned may run again, so a wait on another context continues.
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const;
    /// Like has_synced(), without waiting.
    [[nodiscard]] bool synced() const noexcept;

    /// Stops delivery: a call in progress runs to its end, pending events are dropped. Idempotent. May be called from
    /// inside the handler.
    void remove() const;

    /** Calls remove(), then completes when no call is in progress. No call follows its completion.

        @par Errors        cond::misconfigured when awaited inside the handler itself, or by another coroutine on the
        handler's strand while a call is in progress, since that would deadlock. The handler is removed nevertheless.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> removed() const;

    /** Completes when no further call will come, always with a failure that gives the reason: cond::cancelled when the
        handler was removed or the informer stopped, cond::expired when a handler with coalesce::never fell too far
        behind. Waits for the end like removed(), but does not cause it. */
    [[nodiscard]] boost::asio::awaitable<result<>> ended() const;

    /// A picture of the present state. Any thread.
    [[nodiscard]] handler_stats stats() const;
    /// False for an empty handle.
    explicit operator bool() const noexcept { return listener_ != nullptr; }

private:
    std::shared_ptr<detail::processor_listener> listener_;
};

} // namespace kubecoro
