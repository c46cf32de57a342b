#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/controller/detail/key_table.hpp>
#include <kubecoro/controller/workqueue_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace kubecoro::detail {

/** The type-independent part of workqueue<Key>; see there.

    Thread safe. Its lock is held for the work on a few keys, never across a suspension. */
class workqueue_engine : public std::enable_shared_from_this<workqueue_engine>
{
public:
    using slot = key_table::slot;

    /// The keys of a call, without their type: `intern` finds or stores the n-th key of `context` in the table.
    struct key_list
    {
        const void* context;
        std::size_t count;
        slot (*intern)(key_table& table, const void* context, std::size_t n);
    };

    /// A key held by a worker.
    struct handed
    {
        slot s;
        int priority;
        const void* key;
    };

    /// The worker's request when it gives a key back.
    struct verdict
    {
        enum class kind
        {
            done,
            succeeded,
            retry,
            again,
            skip,
            put_back
        };
        kind what = kind::done;
        duration delay{0};
        int priority = 0;
    };

    workqueue_engine(boost::asio::any_io_executor executor, workqueue_options options, std::unique_ptr<key_table> keys);
    ~workqueue_engine();
    workqueue_engine(const workqueue_engine&) = delete;
    workqueue_engine& operator=(const workqueue_engine&) = delete;

    void add(key_list keys, int priority);
    void add_after(key_list keys, duration delay, int priority);
    /// For a single key. `find` looks it up without storing it.
    void add_rate_limited(key_list keys, int priority, slot (*find)(const key_table&, const void*));
    void forget(const void* key, slot (*find)(const key_table&, const void*));
    [[nodiscard]] unsigned num_requeues(const void* key, slot (*find)(const key_table&, const void*)) const;
    [[nodiscard]] unsigned num_requeues(slot s) const;
    void forget(slot s);

    [[nodiscard]] std::optional<handed> take();
    /// As take(), but occasionally empty: after many keys in a row the worker must wait().
    [[nodiscard]] std::optional<handed> take_in_turn();
    /// Ends a successful run and takes the next key with the same lock, as take_in_turn() does. When it is empty the
    /// engine may be gone.
    [[nodiscard]] std::optional<handed> next(slot s);
    /// Takes up to `max` keys and passes each to `sink`, which must not throw.
    void take(std::size_t max, void* context, void (*sink)(void* context, workqueue_engine& queue, const handed& h));
    /// Completes when a key may be available; if one already is, after other handlers on the worker's executor have
    /// run. Errors: cond::cancelled, also when the queue is shut down and empty.
    [[nodiscard]] boost::asio::awaitable<result<>> wait();
    /// Called by a worker whose wait() has ended but that takes nothing: wakes another worker for the ready keys.
    void decline();
    void give_back(slot s, verdict v);

    void shut_down();
    [[nodiscard]] boost::asio::awaitable<result<>> drain();
    [[nodiscard]] boost::asio::awaitable<result<>> ended();
    /// Called by the owner's destructor: shuts down and stays alive until no key is being processed.
    void close();

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool shutting_down() const;
    [[nodiscard]] workqueue_stats stats() const;

private:
    void retry(slot s, int priority);

    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::detail
