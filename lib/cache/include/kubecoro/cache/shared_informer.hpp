#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/cache/conditions.hpp>
#include <kubecoro/cache/event_handler.hpp>
#include <kubecoro/cache/lister.hpp>
#include <kubecoro/cache/stats.hpp>
#include <kubecoro/cache/subscription.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

class informer_engine;

/** A live copy of one resource, shared by everyone who asks the same factory for the same thing.

    A cheap handle; copies mean the same informer. Thread safe. Made by informer_factory::get, started and stopped by
    the factory. Handlers, subscriptions and indexes may be added at any time, before or after the start: a late joiner
    gets one `added{initial}` for every stored object, then everything that follows, with no gap and no duplicate. */
class shared_informer
{
public:
    explicit shared_informer(std::shared_ptr<informer_engine> engine) : engine_(std::move(engine)) {}

    /// Calls the handler for every change. After the stop: a registration that is over.
    registration add_event_handler(event_handler handler, handler_options options = {}) const;

    /// The same changes to be pulled.
    [[nodiscard]] subscription subscribe(subscription_options options = {}) const;

    /** Waits until the object of that key is as wanted: its state now, and then every next one, with no gap in between.

            auto pod = co_await pods.wait_for({"web", "shop-1"}, kubecoro::conditions::pod_ready(), 30s);

        Costs a look-up an event however many wait. Every state is asked about, unless more than 64 come before the
        waiting coroutine has its turn: then the newest of the rest. Before the object's namespace was listed, that it is
        absent says nothing yet.

        @param timeout     0 = none.
        @return the object as it was then; null when the wanted state is that there is none.
        @par Errors        cond::timed_out, saying what was last seen; why the object's namespace cannot be listed, as
        has_synced(); the condition's own failure; cond::misconfigured when the informer does not cover the namespace,
        cond::cancelled when it does not any more, or is stopped.
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<object>> wait_for(object_key key, named_first<object_condition> wanted,
                                                                  duration timeout = duration::zero()) const;

    /** Waits for the first event the condition says yes to, the stored objects as `added{initial}` first. A subscription
        underneath, which `options` describe; while the store cannot be filled it waits.

        @param timeout     0 = none.
        @par Errors        cond::timed_out; the condition's own failure; subscription::ended().
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<notification>>
    wait_for_any(named_first<notification_condition> wanted, duration timeout = duration::zero(),
                 subscription_options options = subscription_options()) const;

    /// Makes objects findable by what `f` says, those that are stored already included.
    /// Errors: already_exists when the name is taken; timed_out when the objects change faster than `f` is.
    result<> add_index(std::string name, index_function f) const;

    /// Reads the store. Valid for as long as you like, also after the stop.
    [[nodiscard]] kubecoro::lister lister() const;

    /** Completes when the store is filled for the first time: every namespace was listed once and the lists are in the
        store. Handlers may be behind; see registration::has_synced. A namespace that joins before that counts, one that
        joins later has its own wait, see set_namespaces().

        @par Errors        why the store cannot be filled, at once: forbidden, not_found, unauthorized, invalid,
        misconfigured. The reflector goes on trying, slower and slower; a later call may succeed. Other failures are
        waited out. cond::cancelled when the informer stops first, or its execution context is destroyed. A context whose
        run() has returned may run again: until it is destroyed a wait on another context goes on.
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const;
    /// The same, without waiting. Stays true.
    [[nodiscard]] bool synced() const noexcept;

    /** Covers these namespaces from now on, for everyone who shares this informer: one watch each, one store.

        The change is made when the function is called; to await it is to wait until the objects of what has joined are
        stored, and the watches of what has left have ended. A namespace that stays is not touched: none of its events is
        lost or told twice, and calls that undo one another before the informer gets to them do nothing. What has joined
        comes as `added{initial}`; what has left as `deleted` with departure::namespace_left. The empty name means all
        namespaces; without any name nothing is covered, which is not what informer_options::namespaces means by it. From
        all to some, or back, what is covered before and after stays in the store and is compared with the new list.

        @par Errors        why a namespace cannot be listed, as has_synced(): it stays in the set and is tried on.
        misconfigured for a kind that is not in namespaces. cancelled when the informer stops, or a namespace is taken
        out again, before it has synced. Before the start it waits for that.
        @par Cancellation  terminal: ends the wait only; the change stays.
        @warning gcc 12 cannot make the vector by braces inside a co_await expression: name it first. */
    [[nodiscard]] boost::asio::awaitable<result<>> set_namespaces(std::vector<std::string> namespaces) const;
    /// The same for one more; nothing when it is covered.
    [[nodiscard]] boost::asio::awaitable<result<>> add_namespace(std::string ns) const;
    /// The same for one less; nothing when it is not in the set. Waits for no list.
    [[nodiscard]] boost::asio::awaitable<result<>> remove_namespace(std::string ns) const;
    /// Those that are watched one by one, sorted; empty when all are, or none.
    [[nodiscard]] std::vector<std::string> namespaces() const;

    /// Ends the waits between attempts: a namespace that waits after a failure, or is parked, is tried at once.
    void retry_now() const;

    /// Completes when the store shows what was written up to `resource_version`; see lister::wait_until.
    [[nodiscard]] boost::asio::awaitable<result<>> wait_until(std::string resource_version, std::string ns = {}) const;

    /// The present state.
    [[nodiscard]] informer_state state() const;
    /// The version the store has reached; with several namespaces the newest of theirs. Empty before the first list.
    [[nodiscard]] std::string last_resource_version() const;
    /// A picture of the present state. Any thread.
    [[nodiscard]] informer_stats stats() const;
    /// A few lines for people: state, counts, handlers, last failure.
    [[nodiscard]] std::string describe() const;
    /// The resource that it covers.
    [[nodiscard]] const resource_type& resource() const noexcept;

    friend bool operator==(const shared_informer&, const shared_informer&) = default;

private:
    friend class informer_factory;
    std::shared_ptr<informer_engine> engine_;
};

/** Completes when all have synced, or with the first failure among them, which then names the informer.

    @par Cancellation  terminal: ends the wait only. */
[[nodiscard]] boost::asio::awaitable<result<>> wait_for_cache_sync(std::vector<shared_informer> informers);

} // namespace kubecoro
