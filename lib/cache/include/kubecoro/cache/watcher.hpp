#pragma once

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/cache/reflector.hpp>
#include <kubecoro/cache/reflector_stats.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

namespace detail {
class watcher_engine;
}

/// The kinds of event of a watcher.
enum class watcher_event_type : std::uint8_t
{
    /// A list begins. Objects of an unfinished list before it do not count.
    init_begins,
    /// An object of the list.
    listed,
    /// The list is complete: an object that it did not name is gone.
    init_done,
    /// The object was added or modified.
    applied,
    /// The object was deleted.
    deleted
};
/// The type's name: "init_begins", "listed", "init_done", "applied", "deleted".
[[nodiscard]] std::string_view to_string(watcher_event_type t) noexcept;

/// One event of a watcher. T is the kind of the objects, or `object`.
template<class T = object>
struct watcher_event
{
    /// Its kind.
    watcher_event_type type = watcher_event_type::applied;
    /// The object; null for init_begins and init_done. A deleted object has its last state, or only its name when that
    /// state is too large to be read.
    detail::object_handle<T> obj = {};
};

/// Events that watcher::next() returns together: a page of a list, or the changes that arrived together.
template<class T = object>
struct watcher_batch
{
    /// The events, in order. Empty for a bookmark, which only moves the version.
    std::vector<watcher_event<T>> events = {};
    /// The version reached with this batch; empty before the end of a list, and when the resource is no longer served.
    std::string resource_version = {};
    /// Objects of this page of a list that exist, but are too large to be read: keep their last known state.
    std::vector<left_out_object> left_out = {};
};

template<class T = object>
class watcher;

/** The events of a resource as a stream without an end and without a store: kube-rs's watcher, client-go's RetryWatcher
    with its list.

        kubecoro::watcher pods(client, pod::resource(), {.ns = "web"});
        while (auto batch = co_await pods.next())
            for (auto& event : batch->events) take(event);

    Begins with a list: init_begins, a `listed` for each object, init_done. Changes follow. After a loss of continuity
    (an expired version, a failure in the middle of a list) a new list begins; the consumer decides what that means for
    objects that it does not name. A list arrives page by page and is never collected, so that memory does not depend on
    the number of objects: the watcher holds at most one batch, and requests or reads nothing more until next() takes it.

    Failures of lists and watches do not end the stream: they are retried with backoff.

    The first next() starts a coroutine on a strand of the watcher's own. Destroying the watcher closes it: the coroutine
    is cancelled, and what it uses is kept until it has ended, or until its context is destroyed. Move-only; the watcher
    and the awaitables of next() and stop() may outlive the context. */
template<>
class watcher<object>
{
public:
    /// Creates a watcher, which does nothing before the first next().
    /// @param provider  Where to read: a client, or a testing::scripted_provider. Not null.
    /// @param resource  Its objects' kind.
    /// @param options   Its policy's page_size is the number of objects in a batch of a list, 0 = 500; its settings of streamed lists
    ///                  have no effect.
    watcher(std::shared_ptr<source_provider> provider, const resource_type& resource, reflector_options options = {});
    /// The same over a source: its scope and decoding are its own. reflector_options::executor is required; selectors and
    /// decode options have no effect.
    watcher(std::shared_ptr<list_watch_source> source, const resource_type& resource, reflector_options options);
    ~watcher();
    watcher(watcher&&) noexcept = default;
    watcher& operator=(watcher&& other) noexcept;

    /** Returns the next batch. One call at a time, on any executor.

        @par Errors        cond::cancelled after close() or stop(), or when the watcher's context has ended;
        cond::misconfigured for options that cannot work (a namespace of a cluster-scoped kind, no executor; also logged
        by the constructor), or for a moved-from watcher. Other failures are retried and passed to reflector_options::on_failure.
        @par Cancellation  terminal, partial, total: ends the wait; no batch is lost, the next call returns it. */
    [[nodiscard]] boost::asio::awaitable<result<watcher_batch<>>> next();

    /// Ends the stream at once: the current and every later next() fails with cond::cancelled. Idempotent. Any thread.
    void close();
    /** Ends the stream and completes when nothing of it runs any more. Idempotent.

        @par Cancellation  ends the wait; call it again to finish. */
    [[nodiscard]] boost::asio::awaitable<result<>> stop();

    /// Ends the wait between two attempts, if there is one. Any thread.
    void retry_now() const;
    /// The present state. Any thread.
    [[nodiscard]] informer_state state() const;
    /// A picture of the present state. Any thread.
    [[nodiscard]] reflector_stats stats() const;

private:
    std::shared_ptr<detail::watcher_engine> engine_;
};

/// A watcher of a resource is one of untyped objects.
watcher(std::shared_ptr<source_provider>, const resource_type&, reflector_options = {}) -> watcher<object>;
/// A watcher of a source is one of untyped objects.
watcher(std::shared_ptr<list_watch_source>, const resource_type&, reflector_options) -> watcher<object>;

/// An event with an object of kind T, see watcher_event.
/// Events of objects of kind T, see watcher_batch.
/** The events of a kind as a stream: as watcher<object>, which it also is, with typed objects.

        kubecoro::watcher<core_v1::pod> pods(client, {.ns = "web"});
        while (auto batch = co_await pods.next())
            for (auto& event : batch->events)
                if (event.obj) take(event.obj->spec().nodeName()); */
template<class T>
class watcher : public watcher<object>
{
public:
    /// Creates a watcher of the kind, which does nothing before the first next().
    /// @param provider  As for watcher<object>.
    explicit watcher(std::shared_ptr<source_provider> provider, reflector_options options = {})
        : watcher<object>(std::move(provider), T::resource(), std::move(options))
    {
    }
    /// @param untyped  Returns objects of kind T only.
    explicit watcher(watcher<object> untyped) : watcher<object>(std::move(untyped)) {}

    /// Returns the next batch.
    [[nodiscard]] boost::asio::awaitable<result<watcher_batch<T>>> next() { return typed(watcher<object>::next()); }

private:
    static boost::asio::awaitable<result<watcher_batch<T>>>
    typed(boost::asio::awaitable<result<watcher_batch<>>> untyped)
    {
        auto batch = co_await std::move(untyped);
        if (!batch) co_return batch.error();
        watcher_batch<T> out;
        out.events.reserve(batch->events.size());
        for (auto& e : batch->events) out.events.push_back({e.type, typed_object<T>(std::move(e.obj))});
        out.resource_version = std::move(batch->resource_version);
        out.left_out = std::move(batch->left_out);
        co_return out;
    }
};

} // namespace kubecoro
