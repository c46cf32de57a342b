#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/controller/controller_options.hpp>
#include <kubecoro/controller/enqueue.hpp>
#include <kubecoro/controller/reconciler.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

namespace kubecoro {

class controller_engine;
class controller_source;

/** One source of a controller: a cheap handle, copies mean the same. Dropping it changes nothing.

    Thread safe. The handle of nobody's source is over already. */
class event_source
{
public:
    event_source() = default;
    event_source(std::shared_ptr<controller_engine> engine, std::shared_ptr<controller_source> source);

    /// No further event of it becomes work; keys that are queued stay. Idempotent. The controller no longer waits for it.
    void remove() const;
    /** remove(), then completes when nothing of it runs any more.

        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> removed() const;
    /// A picture of the present state. Any thread.
    [[nodiscard]] source_stats stats() const;

private:
    std::shared_ptr<controller_engine> engine_;
    std::shared_ptr<controller_source> source_;
};

/** Turns events of informers into runs of a reconciler: never one key twice at once, never a change without a run after it.

        controller shop(executor, reconcile, {.name = "shop", .workers = 4});
        shop.watch(shops, enqueue_object(), {.filter = predicates::generation_changed()});
        shop.watch(pods, enqueue_owner<shop_kind>());
        informers.start();
        auto ended = co_await shop.run();        // until somebody calls stop()

    It waits until every source has handed out its first list, and not only until the stores are filled: a run sees all
    that was there. Failed keys are tried again with a backoff of their own. A source that fails later stops nothing: its
    informer retries, the other sources go on.

    Thread safe. One owner, which awaits stop() before destroying it, and stops the informers after it. Destroying a
    controller that runs is an error: it is logged, told to stop and to cancel its runs, and ends as soon as its executor
    lets it. */
class controller
{
public:
    /// @param executor  Where everything runs: each worker and each source on a strand of its own.
    controller(boost::asio::any_io_executor executor, reconciler reconcile, controller_options options = {});
    ~controller();
    controller(controller&&) noexcept = default;
    controller& operator=(controller&&) = delete;

    /// Makes the events of an informer work. Before the start: it is waited for. Later: its events become work as they
    /// come. After the end: a source that is over.
    event_source watch(shared_informer informer, enqueue map, source_options options = {});

    /// The key wants a run, whatever the sources say.
    void trigger(object_key_view key, int priority = priority::normal);

    /// Begins. Returns at once; once only.
    void start();

    /** Completes when the first lists of all sources have been seen and runs begin.

        @par Errors        cond::timed_out after sync_timeout: names the sources that are missing, and why (forbidden,
        not_found, ...); the controller stops then. cond::cancelled when it is stopped first, or a source's informer is.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> ready() const;

    /** start(), then completes when the controller has stopped.

        @par Errors        why it stopped by itself: as ready(). Those of stop().
        @par Cancellation  ends the wait only: the controller runs on until stop(). */
    [[nodiscard]] boost::asio::awaitable<result<>> run();

    /** Ends in order: the sources, then the queue, then the runs, which get the grace period before they are cancelled.
        Keys that wait for a run get none. Completes when nothing runs any more. Idempotent.

        Not from inside a run; request_stop() is for that.
        @par Errors        cond::timed_out when runs had to be cancelled: names their keys. As run().
        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    /// The same without waiting.
    void request_stop();

    /// A picture of the present state. Any thread.
    [[nodiscard]] controller_stats stats() const;
    /// A few lines for people: phase, runs, sources, queue.
    [[nodiscard]] std::string describe() const;

private:
    std::shared_ptr<controller_engine> engine_;
};

} // namespace kubecoro
