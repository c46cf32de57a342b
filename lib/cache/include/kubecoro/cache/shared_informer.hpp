#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/cache/conditions.hpp>
#include <kubecoro/cache/detail/object_share.hpp>
#include <kubecoro/cache/event_handler.hpp>
#include <kubecoro/cache/lister.hpp>
#include <kubecoro/cache/stats.hpp>
#include <kubecoro/cache/subscription.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

namespace detail {
class informer_engine;
}

template<class T = object>
class shared_informer;

namespace detail {
/// The implementation. Not null.
[[nodiscard]] const std::shared_ptr<informer_engine>& engine_of(const shared_informer<object>& informer) noexcept;
} // namespace detail

/** A live copy of one resource, shared by all callers that ask the same factory for the same options.

    A cheap handle; copies refer to the same informer. Thread safe. Created by informer_factory::get, started and
    stopped by the factory. Handlers, subscriptions and indexes may be added at any time, before or after the start: a
    late joiner gets one `added{initial}` for every stored object, then every later change, without gaps or duplicates.
    */
template<>
class shared_informer<object>
{
public:
    /// Used by informer_factory::get(). @param engine  Not null.
    explicit shared_informer(std::shared_ptr<detail::informer_engine> engine) : engine_(std::move(engine)) {}
    // Copies only: a moved-from informer remains usable.
    shared_informer(const shared_informer&) = default;
    shared_informer& operator=(const shared_informer&) = default;
    ~shared_informer() = default;

    /// Calls the handler for every change. After the stop, returns a registration that has ended.
    registration add_event_handler(event_handler<object> handler, handler_options options = {}) const;

    /// Returns a subscription, which delivers the same changes by pull.
    [[nodiscard]] subscription<object> subscribe(handler_options options = {}) const;

    /** Waits until the object of that key meets the condition. Checks its current state, then every later one, without
        gaps.

            auto pod = co_await pods.wait_for({"web", "shop-1"}, kubecoro::conditions::pod_ready(), 30s);

        Costs one look-up per event, independent of the number of waits. Every state is checked unless more than 64
        arrive before the waiting coroutine runs; then only the newest of the rest. Absence counts only after the
        object's namespace was listed.

        @param timeout     0 = none.
        @return the object in that state; null when the condition is met by its absence.
        @par Errors        cond::timed_out, with the last seen state; the reason the object's namespace cannot be
        listed, as has_synced(); the condition's own failure; cond::misconfigured when the informer does not cover
        the namespace; cond::cancelled when it no longer covers it, or stops.
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<object>> wait_for(object_key key, object_condition wanted,
                                                                  saturating_duration timeout = {}) const;

    /** Waits for the first event that meets the condition, starting with the stored objects as `added{initial}`. Uses a
        subscription configured by `options`; waits while the store cannot be filled.

        @param timeout     0 = none.
        @par Errors        cond::timed_out; the condition's own failure; subscription::end_reason().
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<notification<object>>>
    wait_for_any(std::function<result<bool>(const notification<object>&)> wanted, saturating_duration timeout = {},
                 handler_options options = {}) const;

    /// Adds an index with the values that `f` returns; includes the objects already stored.
    /// Errors: already_exists when the name is taken; timed_out when the objects change faster than `f` can index them.
    [[nodiscard]] result<> add_index(std::string name, detail::index_function f) const;
    /// The same with a function that returns the values, such as a std::vector<std::string>.
    template<detail::returns_texts_of<object> F>
    [[nodiscard]] result<> add_index(std::string name, F f) const
    {
        return add_index(std::move(name),
                         detail::index_function([f = std::move(f)](const object& o, index_sink out) mutable {
                             for (const auto& value : f(o)) out(value);
                         }));
    }

    /// Reads the store. Valid for as long as you like, also after the stop.
    [[nodiscard]] kubecoro::lister<object> lister() const;

    /** Completes when the store is filled for the first time: every namespace was listed once and the lists are in the
        store. Handlers may be behind; see registration::has_synced. A namespace added before that counts, one added
        later has its own wait; see set_namespaces().

        @par Errors        the reason the store cannot be filled, at once: forbidden, not_found, unauthorized, invalid,
        misconfigured. The reflector keeps retrying with growing delays; a later call may succeed. Other failures are
        waited out. cond::cancelled when the informer stops first, or its execution context is destroyed. A context
        whose run() has returned may run again: until it is destroyed, a wait on another context continues. After a
        failure of its own, that one, also when it had synced: see informer_stats::ended_by.
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const;
    /// Like has_synced(), without waiting. Stays true, unless a failure of its own ends the informer.
    [[nodiscard]] bool synced() const noexcept;

    /** Sets the covered namespaces, for every user of this informer: one watch each, one store.

        The change takes effect when the function is called; awaiting it waits until the objects of added namespaces are
        stored and the watches of removed ones have ended. A namespace that stays is not affected: none of its events is
        lost or repeated, and calls that cancel out before the informer processes them do nothing. Objects of added
        namespaces arrive as `added{initial}`, those of removed ones as `deleted` with departure::namespace_left. The
        empty name means all namespaces; an empty vector covers nothing, unlike in informer_options::namespaces. When
        switching from all to some, or back, objects covered before and after stay in the store and are compared with
        the new list.

        @par Errors        the reason a namespace cannot be listed, as has_synced(): it stays in the set and is retried.
        misconfigured for a cluster-scoped kind. cancelled when the informer stops, or a namespace is removed again,
        before it has synced. Before the start, waits for the start.
        @par Cancellation  terminal: ends the wait only; the change stays. */
    [[nodiscard]] boost::asio::awaitable<result<>> set_namespaces(text_list namespaces) const;
    /// Adds one namespace, as set_namespaces(); does nothing when it is covered.
    [[nodiscard]] boost::asio::awaitable<result<>> add_namespace(kept_text ns) const;
    /// Removes one namespace, as set_namespaces(); does nothing when it is not in the set. Waits for no list.
    [[nodiscard]] boost::asio::awaitable<result<>> remove_namespace(kept_text ns) const;
    /// Returns the individually watched namespaces, sorted; empty when all are covered, or none.
    [[nodiscard]] std::vector<std::string> namespaces() const;

    /// Ends the waits between attempts: a namespace that waits after a failure, or is parked, is retried at once.
    void retry_now() const;

    /// Completes when the store shows every write up to `resource_version`; see lister::wait_until.
    [[nodiscard]] boost::asio::awaitable<result<>> wait_until(kept_text resource_version, kept_text ns = {}) const;

    /// The present state.
    [[nodiscard]] informer_state state() const;
    /// Returns the version the store has reached; with several namespaces the newest of theirs. Empty before the first
    /// list.
    [[nodiscard]] std::string last_resource_version() const;
    /// A picture of the present state. Any thread.
    [[nodiscard]] informer_stats stats() const;
    /// Returns a few lines of text for people: state, counts, handlers, last failure.
    [[nodiscard]] std::string describe() const;
    /// The resource that it covers.
    [[nodiscard]] const resource_type& resource() const noexcept;
    /// informer_options::share.
    [[nodiscard]] const std::shared_ptr<detail::object_share>& share() const noexcept;

    friend bool operator==(const shared_informer<object>&, const shared_informer<object>&) = default;

private:
    friend class informer_factory;
    friend const std::shared_ptr<detail::informer_engine>&
    detail::engine_of(const shared_informer<object>& informer) noexcept;
    std::shared_ptr<detail::informer_engine> engine_;
};

/** A live copy of the objects of kind T: as shared_informer<object>, which it also is, with typed objects. Created by
    informer_factory::get<T>().

        auto pods = informers.get<core_v1::pod>();
        pods.add_event_handler({.on_add = [](const added<core_v1::pod>& e) { place(e.obj->spec().nodeName()); }}); */
template<class T>
class shared_informer : public shared_informer<object>
{
public:
    /// @param untyped  An informer of kind T.
    explicit shared_informer(shared_informer<object> untyped) : shared_informer<object>(std::move(untyped)) {}

    /// Calls the handler for every change.
    registration add_event_handler(event_handler<T> handler, handler_options options = {}) const
    {
        event_handler<object> all;
        all.on_add = detail::handler_slot<added<object>>(handler.on_add.get());
        all.on_update = detail::handler_slot<updated<object>>(handler.on_update.get());
        all.on_delete = detail::handler_slot<deleted<object>>(handler.on_delete.get());
        all.executor = std::move(handler.executor);
        all.concurrency = handler.concurrency;
        all.slow_after = handler.slow_after;
        return untyped().add_event_handler(std::move(all), std::move(options));
    }
    /// Returns a subscription, which delivers the same changes by pull.
    [[nodiscard]] subscription<T> subscribe(handler_options options = {}) const
    {
        return subscription<T>(untyped().subscribe(std::move(options)));
    }
    /// Reads the store.
    [[nodiscard]] kubecoro::lister<T> lister() const { return kubecoro::lister<T>(untyped().lister()); }
    /// Adds an index with the values that `f` returns.
    [[nodiscard]] result<> add_index(std::string name, callback<void(const typed_object<T>&, index_sink)> f) const
    {
        return untyped().add_index(std::move(name),
                                   [f = std::move(f)](const object& o, index_sink out) { f(typed_object<T>(o), out); });
    }
    /// The same with a function that returns the values, such as a std::vector<std::string>.
    template<detail::returns_texts_of<typed_object<T>> F>
    [[nodiscard]] result<> add_index(std::string name, F f) const
    {
        return untyped().add_index(std::move(name), [f = std::move(f)](const object& o, index_sink out) mutable {
            const typed_object<T> typed(o); // outlives the values, which may be views of it
            for (const auto& value : f(typed)) out(value);
        });
    }

    /// A condition of wait_for(), such as `[](const typed_object<T>& o) { return o && o->spec().paused(); }`. The object is
    /// null when there is none of that key.
    class predicate
    {
    public:
        /// The condition of untyped objects.
        predicate(object_condition wanted) : asks_(std::move(wanted)) {}
        /// Keeps a callable that returns bool or result<bool>.
        template<class F>
            requires(!std::same_as<std::remove_cvref_t<F>, object_condition> &&
                     std::is_invocable_v<std::decay_t<F>&, const typed_object<T>&>)
        predicate(F&& f)
            : asks_([holds = std::forward<F>(f)](const object& o) mutable -> result<bool> {
                  return holds(typed_object<T>(o));
              })
        {
        }
        /// The same of untyped objects.
        template<class F>
            requires(!std::same_as<std::remove_cvref_t<F>, object_condition> &&
                     !std::is_invocable_v<std::decay_t<F>&, const typed_object<T>&> &&
                     std::is_invocable_v<std::decay_t<F>&, const object&>)
        predicate(F&& f) : asks_(std::forward<F>(f))
        {
        }
        /// The condition of untyped objects that asks this one.
        [[nodiscard]] object_condition untyped() && { return std::move(asks_); }

    private:
        object_condition asks_;
    };
    /// Waits until the object of that key meets the condition.
    [[nodiscard]] boost::asio::awaitable<result<typed_object<T>>> wait_for(object_key key, predicate wanted,
                                                                           saturating_duration timeout = {}) const
    {
        return detail::typed_outcome<T>(untyped().wait_for(std::move(key), std::move(wanted).untyped(), timeout));
    }

    /// A predicate of wait_for_any(), such as `[](const notification<T>& n) { return object_of(n)->spec().paused(); }`.
    class event_predicate
    {
    public:
        /// Keeps a callable that returns bool or result<bool>.
        template<class F>
            requires(std::is_invocable_v<std::decay_t<F>&, const notification<T>&>)
        event_predicate(F&& f)
            : asks_([holds = std::forward<F>(f)](const notification<object>& n) -> result<bool> {
                  return holds(detail::typed<T>(n));
              })
        {
        }
        /// The same of a predicate of untyped events.
        template<class F>
            requires(!std::is_invocable_v<std::decay_t<F>&, const notification<T>&> &&
                     std::is_invocable_v<std::decay_t<F>&, const notification<object>&>)
        event_predicate(F&& f) : asks_(std::forward<F>(f))
        {
        }
        /// The predicate of untyped events that asks this one.
        [[nodiscard]] std::function<result<bool>(const notification<object>&)> untyped() && { return std::move(asks_); }

    private:
        std::function<result<bool>(const notification<object>&)> asks_;
    };
    /// Waits for the first event that meets the condition, starting with the stored objects.
    [[nodiscard]] boost::asio::awaitable<result<notification<T>>>
    wait_for_any(event_predicate wanted, saturating_duration timeout = {}, handler_options options = {}) const
    {
        return detail::typed_event_of<T>(
            untyped().wait_for_any(std::move(wanted).untyped(), timeout, std::move(options)));
    }

    /// The same informer without the type.
    [[nodiscard]] const shared_informer<object>& untyped() const noexcept KUBECORO_LIFETIME_BOUND { return *this; }
};

/** Completes when all informers have synced, or with the first failure, which names the informer.

    @par Cancellation  terminal: ends the wait only. */
[[nodiscard]] boost::asio::awaitable<result<>> wait_for_cache_sync(std::vector<shared_informer<object>> informers);

} // namespace kubecoro
