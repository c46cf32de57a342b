#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/controller/controller_options.hpp>
#include <kubecoro/controller/detail/key_scope.hpp>
#include <kubecoro/controller/enqueue.hpp>
#include <kubecoro/controller/reconciler.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace kubecoro {

namespace detail {
class controller_engine;
}
namespace detail {
class controller_source;
}

/** A handle to one source of a controller. Cheap; copies refer to the same source. Destroying it changes nothing.

    Thread safe. A default-constructed handle counts as removed. */
class event_source
{
public:
    event_source() = default;
    /// Used by controller::watch(). Null pointers make a handle that counts as removed.
    event_source(std::shared_ptr<detail::controller_engine> engine, std::shared_ptr<detail::controller_source> source);

    /// Ignores further events of the source; queued keys stay. Idempotent. The controller no longer waits for it.
    void remove() const;
    /** remove(), then completes when nothing of the source runs any more.

        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> removed() const;
    /// A picture of the present state. Any thread.
    [[nodiscard]] controller_stats::source stats() const;

private:
    std::shared_ptr<detail::controller_engine> engine_;
    std::shared_ptr<detail::controller_source> source_;
};

template<class T = object>
class controller;

/** Turns events of informers into runs of a reconciler: never two runs of a key at once, never a change without a
    run after it.

        controller shop(executor, reconcile, {.name = "shop", .workers = 4});
        shop.watch(shops, enqueue_object(), {.filter = predicates::generation_changed()});
        shop.watch(pods, enqueue_owner<shop_kind>());
        informers.start();
        auto ended = co_await shop.run();        // until stop() is called

    Runs begin only after every source has delivered its first list, not just after the stores are filled: a run sees
    all objects that existed. Failed keys are retried with their own backoff. A later failure of a source stops
    nothing: its informer retries, the other sources continue.

    Thread safe. Has one owner, which awaits stop() before destroying it, and stops the informers after it.
    Destroying a running controller is an error: it is logged, the controller is stopped and its runs are cancelled,
    and it ends as soon as its executor allows. */
template<>
class controller<object>
{
public:
    /// @param executor  Runs everything: each worker and each source on its own strand.
    controller(boost::asio::any_io_executor executor, reconciler reconcile, controller_options options = {});
    ~controller();
    controller(controller&&) noexcept = default;
    controller& operator=(controller&&) = delete;

    /// Adds an informer as a source. Before the start: its first list is waited for. Later: its events become work as
    /// they arrive. After the end: returns a handle that counts as removed.
    event_source watch(shared_informer<object> informer, enqueue map, source_options options = {});

    /// Requests a run of the key, independent of the sources.
    void trigger(object_key_view key, int priority = priority::normal);

    /// Starts the controller. Returns at once. Call it once only.
    void start();

    /** Completes when the first lists of all sources have been processed and runs begin.

        @par Errors        cond::timed_out after sync_timeout, naming the missing sources and their failures
                           (forbidden, not_found, ...); the controller then stops. cond::cancelled when the
                           controller or a source's informer is stopped first.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> ready() const;

    /** start(), then completes when the controller has stopped.

        @par Errors        the reason why it stopped by itself: as ready(). Those of stop().
        @par Cancellation  ends the wait only: the controller continues until stop(). */
    [[nodiscard]] boost::asio::awaitable<result<>> run();

    /** Stops in order: the sources, then the queue, then the runs, which are cancelled after the grace period. Keys
        waiting for a run get none. Completes when nothing runs any more. Idempotent.

        Must not be awaited inside a run; use request_stop() there.
        @par Errors        cond::timed_out when runs had to be cancelled, naming their keys. As run().
        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    /// Begins stop() without waiting.
    void request_stop();
    /// request_stop() without the grace period: runs in progress are cancelled at once. Also after request_stop().
    void request_stop_at_once();

    /// A picture of the present state. Any thread.
    [[nodiscard]] controller_stats stats() const;
    /// Names of its running coroutines: sources, workers. Any thread.
    [[nodiscard]] std::vector<std::string> tasks() const;
    /// A human-readable summary of a few lines: phase, runs, sources, queue.
    [[nodiscard]] std::string describe() const;

private:
    std::shared_ptr<detail::controller_engine> engine_;
};

/** Moves the actual state towards the desired state of an object of kind T. As `reconciler`, but called with the object as
    the informer has it, and not called for a key that has none: finalizers are the way to act on a deletion. */
template<class T>
using typed_reconciler =
    std::function<boost::asio::awaitable<result<action>>(const typed_object<T>&, reconcile_context&)>;

/** A controller of the objects of kind T: as controller<object>, which it also is, with the objects' own informer as its
    first source.

        controller gadgets(executor, informers.get<gadget>(), reconcile, {.name = "gadgets"});
        gadgets.watch(pods, enqueue_owner<gadget>());                                                               */
template<class T>
class controller : public controller<object>
{
public:
    /// @param own  Every event of it leads to a run of its object, if `which` selects the event.
    controller(boost::asio::any_io_executor executor, const shared_informer<T>& own,
               std::type_identity_t<typed_reconciler<T>> reconcile, controller_options options = {},
               source_options which = {})
        : controller<object>(std::move(executor), runs_of(own.lister(), std::move(reconcile)), std::move(options))
    {
        watch(own, enqueue_object(), std::move(which));
    }

private:
    static reconciler runs_of(lister<T> stored, typed_reconciler<T> reconcile)
    {
        if (!reconcile) return {}; // refused at the start, not in each run
        return [stored = std::move(stored), reconcile = std::move(reconcile)](const object_key& key,
                                                                              reconcile_context& context) {
            auto found = stored.get(key);
            if (!found) return detail::run_without_object(key, T::resource());
            return run_of(std::move(found), reconcile, context);
        };
    }
    // The reconciler lives as long as its runs: the engine keeps it.
    static boost::asio::awaitable<result<action>> run_of(typed_object<T> found, const typed_reconciler<T>& reconcile,
                                                         reconcile_context& context)
    {
        co_return co_await reconcile(found, context);
    }
};

/// A reconciler of keys makes a controller<object>.
controller(boost::asio::any_io_executor, reconciler, controller_options = {}) -> controller<object>;

} // namespace kubecoro
