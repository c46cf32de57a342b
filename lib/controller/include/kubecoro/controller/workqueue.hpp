#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/hash.hpp>
#include <kubecoro/controller/work_item.hpp>
#include <kubecoro/controller/workqueue_engine.hpp>

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

/// Keyed for object keys and texts, so that what names come from elsewhere cannot make the queue slow; else std::hash.
template<class Key>
using workqueue_hash =
    std::conditional_t<std::is_same_v<Key, object_key>, object_key_hash,
                       std::conditional_t<std::is_same_v<Key, std::string> || std::is_same_v<Key, std::string_view>,
                                          text_hash, std::hash<Key>>>;
/// Equality that goes with workqueue_hash.
template<class Key>
using workqueue_equal = std::conditional_t<std::is_same_v<Key, object_key>, object_key_equal, std::equal_to<>>;

/** The queue between events and work: client-go's rate-limiting, delaying workqueue with priorities, for coroutines.

        workqueue<object_key> queue(executor, {.name = "pods"});
        queue.add(key);                                   // from a handler, on any thread
        while (auto item = co_await queue.get()) {        // any number of workers
            if (co_await reconcile(item->key())) item->succeeded(); else item->retry();
        }

    A key is never with two workers at once. However often it is added while it waits, it runs once; added while it is in
    work, once more. A key that was added twice with different priorities has the higher one. A delay is independent of
    that: add() does not cancel an add_after(), and the earliest of several add_after() counts.

    Thread safe: every call, also get(), from any thread and executor; add() takes a lock for less than a microsecond and
    allocates only for keys that are new. Key: movable, hashable by Hash, comparable by Equal; when both are transparent
    (as for object_key), whatever compares like a key may be added and the key is made only when it is new.
    Memory: the key itself and 44 to 56 bytes for each key that waits, is in work or has failures, 20 to 40 more while it
    waits for its moment, and 16 to 32 more in a queue that is measured; keys are merged, so that their number is the
    bound. It is given back when the last of many keys has gone.

    One owner. Its destructor shuts it down; workers that wait come back with cond::cancelled. */
template<class Key, class Hash = workqueue_hash<Key>, class Equal = workqueue_equal<Key>>
class workqueue
{
public:
    /// A key in a worker's hands.
    using item = work_item<Key>;

    /// @param executor  Where the one timer of the queue runs (on a strand of its own). Workers run wherever they are.
    explicit workqueue(boost::asio::any_io_executor executor, workqueue_options options = {})
        : engine_(
              std::make_shared<workqueue_engine>(std::move(executor), std::move(options), std::make_unique<table>()))
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

    /// The key wants a run. Ignored after a shutdown.
    template<class K>
    void add(const K& key, int priority = priority::normal)
    {
        const auto& k = as_key(key);
        engine_->add(one(k), priority);
    }
    /// All keys of a range with random access, in one step: an event batch. `key_of(element)` names the key.
    template<class Range, class KeyOf = std::identity>
    void add_batch(const Range& range, int priority = priority::normal, KeyOf key_of = {})
    {
        const many<Range, KeyOf> all{range, key_of};
        engine_->add(all.list(), priority);
    }
    /// add() when `delay` has passed; at once when it is not positive. Of several for one key the earliest counts, at the
    /// highest of their priorities. A shutdown drops what waits.
    template<class K>
    void add_after(const K& key, duration delay, int priority = priority::normal)
    {
        const auto& k = as_key(key);
        engine_->add_after(one(k), delay, priority);
    }
    template<class Range, class KeyOf = std::identity>
    void add_batch_after(const Range& range, duration delay, int priority = priority::normal, KeyOf key_of = {})
    {
        const many<Range, KeyOf> all{range, key_of};
        engine_->add_after(all.list(), delay, priority);
    }
    /// add_after() with the limiter's delay, and one more failure for the key. It asks the limiter for a place only when
    /// that changes what waits.
    template<class K>
    void add_rate_limited(const K& key, int priority = priority::normal)
    {
        const auto& k = as_key(key);
        engine_->add_rate_limited(one(k), priority, &find<std::remove_cvref_t<decltype(k)>>);
    }
    /// The key's delays start over. Without it (or succeeded()) a key that has failed is remembered for ever.
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

    /** The next key; waits for one.

        @par Errors        cond::cancelled when the queue is shut down and nothing is ready any more.
        @par Cancellation  terminal, partial, total: no key is lost.
        @par In flight     Any number. */
    [[nodiscard]] boost::asio::awaitable<result<item>> get() { return get(engine_); }
    /// The same for several keys at once: what is ready, at least one and up to `max`.
    [[nodiscard]] boost::asio::awaitable<result<std::vector<item>>> get_batch(std::size_t max)
    {
        return get_batch(engine_, max);
    }
    /// The next key if one is ready.
    [[nodiscard]] std::optional<item> try_get()
    {
        const auto h = engine_->take();
        if (!h) return std::nullopt;
        return item(*engine_, *h);
    }

    /// Keys that are ready.
    [[nodiscard]] std::size_t len() const { return engine_->size(); }

    /// No more adds, and what waits for its moment is dropped. What is ready is still handed out; then get() fails. Ends a
    /// drain that is being waited for. Idempotent.
    void shut_down() { engine_->shut_down(); }
    /** Shuts down and completes when nothing is ready nor in work any more. A key that was added during its run is run
        once more before that.

        @par Errors        cond::cancelled after shut_down(), or when the awaiting coroutine is cancelled.
        @par Cancellation  terminal, partial, total: the queue stays shut down. */
    [[nodiscard]] boost::asio::awaitable<result<>> shut_down_with_drain() { return engine_->drain(); }
    /// Whether shut_down() or shut_down_with_drain() was called.
    [[nodiscard]] bool shutting_down() const { return engine_->shutting_down(); }
    /** Completes when the timer of the queue runs no more, after shut_down(). Then the destructor destroys the limiter and
        the other options inside the call, and not later on the executor.

        @par Cancellation  terminal, partial, total: ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> ended() { return engine_->ended(); }

    /// A picture of the present state. Any thread.
    [[nodiscard]] workqueue_stats stats() const { return engine_->stats(); }
    /// One line for people.
    [[nodiscard]] std::string describe() const { return kubecoro::describe(stats()); }

private:
    using table = typed_key_table<Key, Hash, Equal>;
    using slot = workqueue_engine::slot;
    static constexpr bool transparent = requires { typename Hash::is_transparent; };

    /// A key as it is looked up: as it is, or made into a Key.
    template<class K>
    static decltype(auto) as_key(const K& key)
    {
        if constexpr (transparent || std::is_same_v<K, Key>)
            return (key);
        else
            return Key(key);
    }

    template<class K>
    static workqueue_engine::key_list one(const K& key)
    {
        return {.context = &key, .count = 1, .intern = [](key_table& t, const void* context, std::size_t) {
                    return static_cast<table&>(t).intern(*static_cast<const K*>(context));
                }};
    }

    template<class Range, class KeyOf>
    struct many
    {
        const Range& range;
        const KeyOf& key_of;

        [[nodiscard]] workqueue_engine::key_list list() const
        {
            return {.context = this,
                    .count = std::size(range),
                    .intern = [](key_table& t, const void* context, std::size_t n) {
                        const auto& self = *static_cast<const many*>(context);
                        return static_cast<table&>(t).intern(as_key(std::invoke(self.key_of, self.range[n])));
                    }};
        }
    };

    template<class K>
    static slot find(const key_table& t, const void* key)
    {
        return static_cast<const table&>(t).find(*static_cast<const K*>(key));
    }

    static boost::asio::awaitable<result<item>> get(std::shared_ptr<workqueue_engine> queue)
    {
        for (;;) {
            if (const auto h = queue->take_in_turn()) co_return item(*queue, *h);
            const auto woken = co_await queue->wait();
            if (!woken) co_return woken.error();
        }
    }

    static boost::asio::awaitable<result<std::vector<item>>> get_batch(std::shared_ptr<workqueue_engine> queue,
                                                                       std::size_t max)
    {
        for (;;) {
            const auto woken = co_await queue->wait();
            if (!woken) co_return woken.error();
            auto items = take_batch(*queue, max);
            if (!items.empty()) co_return items;
        }
    }

    static std::vector<item> take_batch(workqueue_engine& queue, std::size_t max)
    {
        std::vector<item> items;
        const std::size_t room = std::min(std::max<std::size_t>(max, 1), queue.size());
        try {
            items.reserve(room);
        } catch (...) {
            queue.decline();
            throw;
        }
        queue.take(room, &items, [](void* context, workqueue_engine& from, const workqueue_engine::handed& h) {
            static_cast<std::vector<item>*>(context)->emplace_back(from, h);
        });
        return items;
    }

    std::shared_ptr<workqueue_engine> engine_;
};

} // namespace kubecoro
