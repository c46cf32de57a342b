#pragma once

#include <kubecoro/api/resource.hpp>
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

    /// Makes objects findable by what `f` says, those that are stored already included.
    /// Errors: already_exists when the name is taken.
    result<> add_index(std::string name, index_function f) const;

    [[nodiscard]] kubecoro::lister lister() const;

    /** Completes when the store is filled: every namespace was listed once and the lists are in the store. Handlers may
        be behind; see registration::has_synced.

        @par Errors        why the store cannot be filled, at once: forbidden, not_found, unauthorized, invalid,
        misconfigured. The reflector goes on trying, slower and slower; a later call may succeed. Other failures are
        waited out. cond::cancelled when the informer stops first.
        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const;
    /// The same, without waiting. Stays true.
    [[nodiscard]] bool synced() const noexcept;

    [[nodiscard]] informer_state state() const;
    /// The version the store has reached; with several namespaces the newest of theirs. Empty before the first list.
    [[nodiscard]] std::string last_resource_version() const;
    [[nodiscard]] informer_stats stats() const;
    /// A few lines for people: state, counts, handlers, last failure.
    [[nodiscard]] std::string describe() const;
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
