#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/notification.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

namespace kubecoro {

/** What a handler does with one kind of event: a plain function, a coroutine, or nothing.

    Takes any copyable callable that accepts `Event` (by value or const reference) and returns void, awaitable<void>, or
    awaitable<result<>>. The callable is kept alive until the last call of it has ended, so captures of a coroutine
    lambda are safe to use; the event is kept alive until the coroutine ends. */
template<class Event>
class handler_slot
{
public:
    /// A plain function.
    using function = std::function<void(const Event&)>;
    /// A coroutine.
    using coroutine = std::function<boost::asio::awaitable<void>(const Event&)>;
    /// A coroutine that may fail; a failure is counted and logged.
    using failing_coroutine = std::function<boost::asio::awaitable<result<>>(const Event&)>;
    /// Any of them, or none.
    using callable = std::variant<std::monostate, function, coroutine, failing_coroutine>;

    handler_slot() = default;

    /// Takes a callable that accepts the event.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, handler_slot>)
    handler_slot(F&& f)
    {
        constexpr bool takes_event = std::invocable<std::decay_t<F>&, const Event&>;
        static_assert(takes_event, "a handler takes its event: on_add added, on_update updated, on_delete deleted");
        if constexpr (takes_event) set(std::forward<F>(f));
    }

    /// The callable.
    [[nodiscard]] const callable& get() const noexcept { return call_; }

private:
    template<class F>
    void set(F&& f)
    {
        using returned = std::invoke_result_t<std::decay_t<F>&, const Event&>;
        if constexpr (std::same_as<returned, boost::asio::awaitable<void>>) {
            call_ = coroutine(std::forward<F>(f));
        } else if constexpr (std::same_as<returned, boost::asio::awaitable<result<>>>) {
            call_ = failing_coroutine(std::forward<F>(f));
        } else {
            static_assert(std::is_void_v<returned>, "a handler returns void, awaitable<void> or awaitable<result<>>");
            call_ = function(std::forward<F>(f));
        }
    }

    callable call_;
};

/** The three reactions of one handler; those left out do nothing.

    Calls for one object never overlap and come in order. Unless handler_options::concurrency says otherwise, no two calls
    overlap at all. Nothing is promised between handlers. What a handler throws, or the failure its coroutine returns, is
    counted and logged, and the next event follows. */
struct event_handler
{
    /// Called for each object that appears, initial ones included.
    handler_slot<added> on_add = {};
    /// Called for each change, and for resyncs.
    handler_slot<updated> on_update = {};
    /// Called for each object that has left the store.
    handler_slot<deleted> on_delete = {};
    KUBECORO_NAME_FIRST;
};

/// Options of one handler, see shared_informer::add_event_handler().
struct handler_options
{
    /// Where the handler runs; the library puts a strand on it. Empty = the informer's. Its context outlives the informer.
    boost::asio::any_io_executor executor = {};
    /// What becomes of events while the handler is behind.
    coalesce policy = coalesce::hybrid;
    /// How many events may wait before the policy acts; `latest_per_key` always does. 0 counts as 1.
    std::size_t max_pending = 1024;
    /** Objects for which a coroutine handler may run at once: one call per object, the calls of one object in order. They
        take turns on one strand, where they suspend, so that the handler's own state needs no lock; they never run
        in parallel. Plain functions gain nothing. 0 counts as 1. */
    std::size_t concurrency = 1;
    /** Which objects to hear of; empty = all. An update that begins to match arrives as `added` (not initial), one that
        ceases to match as `deleted` with the state that was told last. Asked once an event, not for deletions. When it
        throws, that counts as a failure, and the object goes on as it was before. */
    object_filter filter = {};
    /// Shows every stored object again as `updated` in this interval, without asking the server. 0 = the informer's
    /// default; otherwise at least 1 s.
    duration resync{0};
    /// A call that takes longer is a warning in the log, once until a call has been in time again. 0 = never.
    duration slow_after{std::chrono::seconds{5}};
    /// For logs and describe(). Empty = a number.
    std::string name = {};
    KUBECORO_NAME_FIRST;
};

/// What one handler or subscription has done so far.
struct handler_stats
{
    /// The name from its options.
    std::string name = {};
    /// How its notifications are merged.
    coalesce policy = coalesce::hybrid;
    /// Waiting now, the batch in work not counted.
    std::size_t pending = 0;
    /// Notifications that it was called for.
    std::uint64_t delivered = 0;
    /// Events that merged into an earlier one.
    std::uint64_t coalesced = 0;
    /// Events the filter left out.
    std::uint64_t filtered = 0;
    /// Calls that threw or returned a failure, and filters that threw.
    std::uint64_t failed = 0;
    /// Calls in progress, and how long the longest of them has been running.
    std::size_t running = 0;
    /// How long the longest call in progress has been running.
    duration running_for{0};
    /// The longest call that has ended.
    duration slowest{0};
    /// Calls that took longer than handler_options::slow_after.
    std::uint64_t slow = 0;
    /// Whether it has seen the first list.
    bool synced = false;
};

class processor_listener;

/** A handler's place in an informer: a cheap handle, copies mean the same handler.

    Thread safe. Dropping it changes nothing: the handler lives until it is removed or its informer stops. */
class registration
{
public:
    /// Nobody's: false, awaiting it fails with cond::misconfigured, the rest does nothing. So is one moved from.
    registration() = default;
    explicit registration(std::shared_ptr<processor_listener> listener) : listener_(std::move(listener)) {}

    /** Completes when the store is filled and this handler has finished every initial add.

        @par Errors        why the informer cannot fill its store (forbidden, not_found, unauthorized, invalid,
        misconfigured); the reflector goes on trying, and a later call may succeed. cond::cancelled when the handler was
        removed or the informer stopped first, or its execution context is destroyed; one whose run() has returned may
        run again, and a wait on another context goes on.
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const;
    /// The same, without waiting.
    [[nodiscard]] bool synced() const noexcept;

    /// No further event is delivered: a call in progress runs on, the rest is dropped. Idempotent. May be called from
    /// inside the handler.
    void remove() const;

    /** remove(), then completes when no call is in progress: no call comes after it returned.

        @par Errors        cond::misconfigured when it is awaited inside the handler itself, or by another coroutine on
        the handler's strand while a call is in progress: it would wait for its own end. The handler is removed all the
        same.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> removed() const;

    /** Completes when no call will come any more, always with the failure that says why: cond::cancelled when the handler
        was removed or the informer stopped, cond::expired when it had asked for every event (coalesce::never) and
        fell too far behind. Otherwise as removed(), which ends the handler; this waits for the end. */
    [[nodiscard]] boost::asio::awaitable<result<>> ended() const;

    /// A picture of the present state. Any thread.
    [[nodiscard]] handler_stats stats() const;
    /// False for an empty handle.
    explicit operator bool() const noexcept { return listener_ != nullptr; }

private:
    std::shared_ptr<processor_listener> listener_;
};

} // namespace kubecoro
