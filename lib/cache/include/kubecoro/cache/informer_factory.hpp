#pragma once

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/cache/options.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

namespace kubecoro {

/** Makes, shares, starts and stops informers of one cluster.

        kubecoro::informer_factory informers{client};
        auto pods = informers.get<kubecoro::core::v1::pod>({.namespaces = {"web"}, .label_selector = "app=shop"});
        pods.add_event_handler({.on_add = [](const kubecoro::added& e) { greet(e.obj); }});
        informers.start();
        auto synced = co_await pods.has_synced();
        ...
        co_await informers.stop();

    Thread safe. One owner; the informers it made stop with it: await stop() before destroying it. Destroying it while
    informers run is an error: it is logged, they are told to stop, and they end by themselves as soon as their executor
    lets them. */
class informer_factory
{
public:
    /// Informers over any source, such as testing::scripted_provider.
    explicit informer_factory(std::shared_ptr<source_provider> provider, factory_options options = {});
    ~informer_factory();
    informer_factory(informer_factory&&) noexcept;
    informer_factory& operator=(informer_factory&&) = delete;

    /** The informer for this resource, scope and selectors; a new one, not yet started, if there is none.

        Informers are shared when resource, namespaces, selectors, decode options, storage and sequence are equal and
        there is no transform. The label indexes of every call are made, those of a later one on its thread when it
        calls; the other options are those of the first call. Every get() is a use: see release(). */
    [[nodiscard]] shared_informer get(const resource_type& resource, informer_options options = {});
    /// The same for a kind with a C++ type.
    template<class Kind>
    [[nodiscard]] shared_informer get(informer_options options = {})
    {
        return get(Kind::resource(), std::move(options));
    }

    /// Starts the informers that have not been started. May be called again after further get()s. Returns at once.
    void start();

    /// Waits for the store of every started informer; see wait_for_cache_sync.
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced();

    /** Gives back one use of an informer. The last one stops it and completes when it has ended; the handle keeps
        reading the last state. Not from inside its own handlers.

        @par Cancellation  ends the wait; call it again, or stop(), to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> release(shared_informer informer);

    /** Stops all: first the watches, then the handlers, a call in progress being cancelled; completes when nothing
        runs. Idempotent; afterwards start() does nothing. Not from inside a handler.

        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /** stop() without waiting: subscriptions end, and whatever waits for an informer fails with cond::cancelled, so that the
        coroutine that owns the factory goes on to `co_await stop()`.

        From any thread, also inside a handler, and in the callback of an asio::signal_set; not in a function given to
        std::signal, as it takes a lock. Idempotent. */
    void request_stop();

    /// All informers that are in use.
    [[nodiscard]] std::vector<shared_informer> informers() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
