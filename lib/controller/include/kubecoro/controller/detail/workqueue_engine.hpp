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

/** The queue behind workqueue<Key>, whatever the key's type; see there.

    Thread safe. Its lock is held for a few keys' worth of work, never across a suspension. */
class workqueue_engine : public std::enable_shared_from_this<workqueue_engine>
{
public:
    using slot = key_table::slot;

    /// Keys of a call, without their type: the n-th of `context`, to be found or stored in the table.
    struct key_list
    {
        const void* context;
        std::size_t count;
        slot (*intern)(key_table& table, const void* context, std::size_t n);
    };

    /// A key that a worker has.
    struct handed
    {
        slot s;
        int priority;
        const void* key;
    };

    /// What the worker wants for its key when it gives it back.
    struct verdict
    {
        enum class kind
        {
            done,
            succeeded,
            retry,
            again,
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
    /// One key. `find` looks it up without storing it.
    void add_rate_limited(key_list keys, int priority, slot (*find)(const key_table&, const void*));
    void forget(const void* key, slot (*find)(const key_table&, const void*));
    [[nodiscard]] unsigned num_requeues(const void* key, slot (*find)(const key_table&, const void*)) const;
    [[nodiscard]] unsigned num_requeues(slot s) const;
    void forget(slot s);

    [[nodiscard]] std::optional<handed> take();
    /// The same, and now and then nothing: so many were taken in a row that it is time to wait().
    [[nodiscard]] std::optional<handed> take_in_turn();
    /// Up to `max` at once, each given to `sink`, which must not throw.
    void take(std::size_t max, void* context, void (*sink)(void* context, workqueue_engine& queue, const handed& h));
    /// Completes when there may be something to take; when there is already, after others on the worker's executor have
    /// had their turn. Errors: cond::cancelled, also when the queue is shut down and empty.
    [[nodiscard]] boost::asio::awaitable<result<>> wait();
    /// A worker whose wait() has ended takes nothing after all: another one is to come for what is ready.
    void decline();
    void give_back(slot s, verdict v);

    void shut_down();
    [[nodiscard]] boost::asio::awaitable<result<>> drain();
    [[nodiscard]] boost::asio::awaitable<result<>> ended();
    /// The owner goes: shut down, and kept until nothing of it is in work.
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
