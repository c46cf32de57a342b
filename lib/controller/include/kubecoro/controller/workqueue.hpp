#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/hash.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/controller/detail/workqueue_engine.hpp>
#include <kubecoro/controller/key_class.hpp>
#include <kubecoro/controller/work_item.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

/** The queue between events and work: client-go's rate-limiting, delaying workqueue with priorities, for coroutines.

        workqueue<object_key> queue(executor, {.name = "pods"});
        queue.add(key);                                   // from a handler, on any thread
        while (auto item = co_await queue.get()) {        // any number of workers
            if (co_await reconcile(item->key())) item->succeeded(); else item->retry();
        }

    A key is never held by two workers at once. However often it is added while it waits, it runs once; if it is
    added while it is being processed, it runs once more. A key added with different priorities gets the highest one.
    Delays are independent of that: add() does not cancel an add_after(), and the earliest of several add_after()
    counts.

    Thread safe: every call, including get(), from any thread and executor. add() holds a lock for less than a
    microsecond and allocates only for new keys. Key: movable, hashable by Hash, comparable by Equal; when both are
    transparent (as for object_key), any type that compares like a key may be added, and the key is constructed only
    when it is new. Memory: the key itself and 44 to 56 bytes for each key that waits, is being processed or has
    failures, 20 to 40 more while it is delayed, 16 to 32 more in a queue with metrics, and 16 to 32 more in a queue
    with classes, which takes about 70 for each class. Keys are merged, so the
    number of distinct keys is the bound. Memory is released when the last of many keys is gone.

    Has one owner. The destructor shuts the queue down; waiting workers get cond::cancelled. */
template<class Key, class Hash = detail::workqueue_hash<Key>, class Equal = detail::workqueue_equal<Key>>
class workqueue
{
public:
    /// A key in a worker's hands.
    using item = work_item<Key>;

    /// @param executor  Runs the queue's timer (on its own strand). Workers run on their own executors.
    /// @param fair_by   The classes of keys that take turns within each priority, as in
    ///                  workqueue<object_key>(executor, {.name = "pods"}, by_namespace). Empty = none.
    explicit workqueue(boost::asio::any_io_executor executor, workqueue_options options = {},
                       key_class<Key> fair_by = {})
        : engine_(std::make_shared<detail::workqueue_engine>(std::move(executor), std::move(options),
                                                             std::make_unique<table>(std::move(fair_by))))
    {
    }
    workqueue(workqueue&&) noexcept = default;
    workqueue& operator=(workqueue&& other) noexcept
    {
        if (this != &other && engine_) engine_->close();
        engine_ = std::move(other.engine_);
        return *this;
    }
    ~workqueue()
    {
        if (engine_) engine_->close();
    }

    /// Requests a run of the key. Ignored after a shutdown.
    template<class K>
    void add(const K& key, int priority = priority::normal)
    {
        const auto& k = as_key(key);
        engine_->add(one(k), priority);
    }
    /// Adds all keys of a random-access range in one step: an event batch. `key_of(element)` returns the key.
    template<class Range, class KeyOf = std::identity>
    void add_batch(const Range& range, int priority = priority::normal, KeyOf key_of = {})
    {
        const many<Range, KeyOf> all{range, key_of};
        engine_->add(all.list(), priority);
    }
    /// Adds the key when `delay` has passed; at once when it is not positive. With several calls for one key the
    /// earliest due time counts, at the highest of their priorities. A shutdown drops delayed keys.
    template<class K>
    void add_after(const K& key, saturating_duration delay, int priority = priority::normal)
    {
        const auto& k = as_key(key);
        engine_->add_after(one(k), delay, priority);
    }
    /// add_after() for all keys of a random-access range in one step. `key_of(element)` returns the key.
    template<class Range, class KeyOf = std::identity>
    void add_batch_after(const Range& range, saturating_duration delay, int priority = priority::normal,
                         KeyOf key_of = {})
    {
        const many<Range, KeyOf> all{range, key_of};
        engine_->add_after(all.list(), delay, priority);
    }
    /// add_after() with the limiter's delay, and counts a failure of the key. Takes from the limiter only when that
    /// changes the due time.
    template<class K>
    void add_rate_limited(const K& key, int priority = priority::normal)
    {
        const auto& k = as_key(key);
        engine_->add_rate_limited(one(k), priority, &find<std::remove_cvref_t<decltype(k)>>);
    }
    /// Resets the key's delays. Without it (or succeeded()) a key that has failed is remembered forever.
    template<class K>
    void forget(const K& key)
    {
        const auto& k = as_key(key);
        engine_->forget(&k, &find<std::remove_cvref_t<decltype(k)>>);
    }
    /// Failures of the key since the last forget().
    template<class K>
    [[nodiscard]] unsigned num_requeues(const K& key) const
    {
        const auto& k = as_key(key);
        return engine_->num_requeues(&k, &find<std::remove_cvref_t<decltype(k)>>);
    }

    /** Returns the next key; waits for one.

        @par Errors        cond::cancelled when the queue is shut down and no key is ready; the failure of the queue's
        timer, such as std::bad_alloc, which ends the queue.
        @par Cancellation  terminal, partial, total: no key is lost.
        @par In flight     Any number. */
    [[nodiscard]] boost::asio::awaitable<result<item>> get() { return get(engine_); }
    /// The same for several keys: those that are ready, at least one and up to `max`.
    [[nodiscard]] boost::asio::awaitable<result<std::vector<item>>> get_batch(std::size_t max)
    {
        return get_batch(engine_, max);
    }
    /// The next key, if one is ready.
    [[nodiscard]] std::optional<item> try_get()
    {
        const auto h = engine_->take();
        if (!h) return std::nullopt;
        return item(*engine_, *h);
    }

    /// Number of ready keys.
    [[nodiscard]] std::size_t len() const { return engine_->size(); }

    /// Accepts no more keys and drops delayed ones. Ready keys are still handed out; then get() fails. Ends a drain in
    /// progress. Idempotent.
    void shut_down() { engine_->shut_down(); }
    /** Shuts down and completes when no key is ready or being processed. A key that was added during its run runs
        once more before that.

        @par Errors        cond::cancelled after shut_down(), or when the awaiting coroutine is cancelled.
        @par Cancellation  terminal, partial, total: the queue stays shut down. */
    [[nodiscard]] boost::asio::awaitable<result<>> shut_down_with_drain() { return engine_->drain(); }
    /// Whether shut_down() or shut_down_with_drain() was called.
    [[nodiscard]] bool shutting_down() const { return engine_->shutting_down(); }
    /** Completes when the queue's timer has ended, after shut_down(). The destructor then destroys the limiter and
        the other options inside the call, and not later on the executor.

        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> ended() { return engine_->ended(); }

    /// A picture of the present state. Any thread.
    [[nodiscard]] workqueue_stats stats() const { return engine_->stats(); }
    /// One line for people.
    [[nodiscard]] std::string describe() const { return kubecoro::describe(stats()); }

private:
    using table = detail::typed_key_table<Key, Hash, Equal>;
    using slot = detail::workqueue_engine::slot;
    static constexpr bool transparent = requires { typename Hash::is_transparent; };

    /// The key used for a look-up: the argument itself, or converted to Key.
    template<class K>
    static decltype(auto) as_key(const K& key)
    {
        if constexpr (transparent || std::is_same_v<K, Key>)
            return (key);
        else
            return Key(key);
    }

    template<class K>
    static detail::workqueue_engine::key_list one(const K& key)
    {
        return {.context = &key, .count = 1, .intern = [](detail::key_table& t, const void* context, std::size_t) {
                    return static_cast<table&>(t).intern(*static_cast<const K*>(context));
                }};
    }

    template<class Range, class KeyOf>
    struct many
    {
        const Range& range;
        const KeyOf& key_of;

        [[nodiscard]] detail::workqueue_engine::key_list list() const
        {
            return {.context = this,
                    .count = std::size(range),
                    .intern = [](detail::key_table& t, const void* context, std::size_t n) {
                        const auto& self = *static_cast<const many*>(context);
                        return static_cast<table&>(t).intern(as_key(std::invoke(self.key_of, self.range[n])));
                    }};
        }
    };

    template<class K>
    static slot find(const detail::key_table& t, const void* key)
    {
        return static_cast<const table&>(t).find(*static_cast<const K*>(key));
    }

    static boost::asio::awaitable<result<item>> get(std::shared_ptr<detail::workqueue_engine> queue)
    {
        for (;;) {
            if (const auto h = queue->take_in_turn()) co_return item(*queue, *h);
            KUBECORO_TRY(co_await queue->wait());
        }
    }

    static boost::asio::awaitable<result<std::vector<item>>> get_batch(std::shared_ptr<detail::workqueue_engine> queue,
                                                                       std::size_t max)
    {
        for (;;) {
            KUBECORO_TRY(co_await queue->wait());
            auto items = take_batch(*queue, max);
            if (!items.empty()) co_return items;
        }
    }

    static std::vector<item> take_batch(detail::workqueue_engine& queue, std::size_t max)
    {
        std::vector<item> items;
        const std::size_t room = std::min(std::max<std::size_t>(max, 1), queue.size());
        try {
            items.reserve(room);
        } catch (...) {
            queue.decline();
            throw;
        }
        queue.take(room, &items,
                   [](void* context, detail::workqueue_engine& from, const detail::workqueue_engine::handed& h) {
                       static_cast<std::vector<item>*>(context)->emplace_back(from, h);
                   });
        return items;
    }

    std::shared_ptr<detail::workqueue_engine> engine_;
};

} // namespace kubecoro
