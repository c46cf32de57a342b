#pragma once

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/cache/options.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

namespace kubecoro {

/** Creates, shares, starts and stops informers of one cluster.

        kubecoro::informer_factory informers{client};
        auto pods = informers.get<kubecoro::core_v1::pod>({.namespaces = {"web"}, .label_selector = "app=shop"});
        pods.add_event_handler({.on_add = [](const kubecoro::added<kubecoro::core_v1::pod>& e) { greet(e.obj); }});
        informers.start();
        auto synced = co_await pods.has_synced();
        ...
        co_await informers.stop();

    Thread safe. Has one owner. Informers of the factory stop with it: await stop() before destroying it. Destroying
    it while informers run is an error: it is logged, a stop is requested, and the informers end as soon as their
    executor runs them. */
class informer_factory
{
public:
    /// Informers over any source, such as testing::scripted_provider.
    explicit informer_factory(std::shared_ptr<source_provider> provider, factory_options options = {});
    ~informer_factory();
    informer_factory(informer_factory&&) noexcept;
    informer_factory& operator=(informer_factory&&) = delete;

    /** Returns the informer for this resource, scope and selectors; creates it if none exists, and starts it if the factory
        is started.

        Informers are shared when resource, namespaces, selectors, decode options and storage are equal and no
        transform is set. The label indexes of every call are built, those of later calls on the calling thread; the
        other options of the first call apply. Every get() counts as a use: see release(). */
    [[nodiscard]] shared_informer<object> get(const resource_type& resource, informer_options options = {});
    /// The same for a kind with a C++ type: a struct that is generated or described gives typed objects, a mere name
    /// such as `untyped::pod` untyped ones.
    template<class Kind>
    [[nodiscard]] auto get(informer_options options = {})
    {
        return shared_informer<detail::handled_kind<Kind>>(get(Kind::resource(), std::move(options)));
    }

    /// Starts the informers, and those that get() makes later. May be called again. Returns at once.
    void start();

    /// Waits until the store of every informer is filled, also of those that have yet to be started; see wait_for_cache_sync.
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced();

    /** Gives back one use of an informer. The last one stops it and completes when it has ended; the handle still reads
        the last state. Must not be called from inside the informer's own handlers.

        @par Cancellation  ends the wait; call it again, or stop(), to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> release(shared_informer<object> informer);

    /** Stops all informers: first the watches, then the handlers, cancelling calls in progress. Completes when nothing
        runs any more. Idempotent; start() does nothing afterwards. Must not be called from inside a handler.

        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /** Requests a stop without waiting: subscriptions end, and every wait for an informer fails with cond::cancelled,
        so that the coroutine that owns the factory continues to `co_await stop()`.

        Callable from any thread, inside a handler, and in the callback of an asio::signal_set; not in a std::signal
        handler, because it takes a lock. Idempotent. */
    void request_stop();

    /// All informers that are in use.
    [[nodiscard]] std::vector<shared_informer<object>> informers() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
