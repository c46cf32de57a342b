#pragma once
// Waits for the states of single objects: a table by key, so that an event costs one look-up for any number of waits.

#include "fifo/key_set.hpp"
#include "listener/sweep_pace.hpp"

#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/cache/notification.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace kubecoro::detail {

class store;

/** One coroutine's wait for the states of one key. Thread safe, with one reader. */
class object_waiter
{
public:
    explicit object_waiter(object_key key) : key_(std::move(key)) {}

    [[nodiscard]] const object_key& key() const noexcept { return key_; }
    /// Adds the key's next state; null = absent. Keeps every state up to most_states, then replaces the last with the
    /// newest.
    void tell(object state);
    /// Ends the states. The first reason is kept.
    void end(failure why);

    /// Returns the states since the last call, at least one, in order; after them the reason of the end.
    [[nodiscard]] static boost::asio::awaitable<result<std::vector<object>>> next(std::shared_ptr<object_waiter> self);

private:
    static constexpr std::size_t most_states = 64;

    const object_key key_;
    wake_signal wake_;
    std::mutex mutex_;
    std::vector<object> states_;
    std::optional<failure> end_;
};

/** The waiters of an informer, held weakly: an abandoned one disappears by itself. Thread safe; states must be reported
    on one strand, on which waiters also join, so that no waiter misses a state. */
class object_waiters
{
public:
    /// After close(), ends the waiter at once.
    void add(const std::shared_ptr<object_waiter>& waiter);
    void tell(std::span<const notification<object>> batch);
    /// Called when all objects of a namespace (empty = all namespaces) are stored: reports the stored state, or
    /// absence, to the waiters of that namespace.
    void filled(const std::string& ns, const store& content);
    /// Ends all waiters for objects of the namespace (empty = all).
    void fail(const std::string& ns, const failure& why);
    /// Ends all current and future waiters.
    void close(const failure& why);
    /// Includes abandoned waiters that were not swept yet.
    [[nodiscard]] std::size_t size() const;

private:
    using group = std::vector<std::weak_ptr<object_waiter>>;

    void sweep();
    [[nodiscard]] std::vector<std::shared_ptr<object_waiter>> all_in(const std::string& ns) const;

    mutable std::mutex mutex_;
    boost::unordered_flat_map<object_key, group, object_key_hash, object_key_equal> by_key_;
    std::size_t size_ = 0;
    sweep_pace pace_;
    std::optional<failure> closed_;
};

} // namespace kubecoro::detail
