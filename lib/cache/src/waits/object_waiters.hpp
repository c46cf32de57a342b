#pragma once
// Who waits for the state of one object: a table by key, so that a thousand who wait cost a look-up an event.

#include "fifo/key_set.hpp"
#include "listener/sweep_pace.hpp"

#include <kubecoro/base/async_event.hpp>
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

/** One coroutine's wait for the states of one key. Thread safe; one reader. */
class object_waiter
{
public:
    explicit object_waiter(object_key key) : key_(std::move(key)) {}

    [[nodiscard]] const object_key& key() const noexcept { return key_; }
    /// The key's next state; null = not there. Every one is kept while few wait, then the newest in place of the last.
    void tell(object state);
    /// No state will come any more. The first reason counts.
    void end(failure why);

    /// The states since the last call, at least one, in order; after them the reason of the end.
    [[nodiscard]] static boost::asio::awaitable<result<std::vector<object>>> next(std::shared_ptr<object_waiter> self);

private:
    static constexpr std::size_t most_states = 64;

    const object_key key_;
    wake_signal wake_;
    std::mutex mutex_;
    std::vector<object> states_;
    std::optional<failure> end_;
};

/** The waiters of an informer. They are held weakly: one that is given up leaves by itself. Thread safe; what is told must
    come from one strand, on which waiters also join, so that none misses a state. */
class object_waiters
{
public:
    /// After close() the waiter's end.
    void add(const std::shared_ptr<object_waiter>& waiter);
    void tell(std::span<const notification> batch);
    /// All of a namespace is stored, of every one if it has no name: who has waited for that learns what is there, and that
    /// nothing is.
    void filled(const std::string& ns, const store& content);
    /// The end of all that wait for objects there now.
    void fail(const std::string& ns, const failure& why);
    /// The end of these and of all that will come.
    void close(const failure& why);
    /// Given up ones not yet noticed included.
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
