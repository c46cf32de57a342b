#pragma once

#include <kubecoro/cache/event_handler.hpp>
#include <kubecoro/cache/indexer.hpp>
#include <kubecoro/collections/detail/live_parts.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

/** A change of a collection: an element was added (`before` is null), updated, or deleted (`after` is null).

    For each key every reader sees a chain in which `before` is the element delivered last. */
template<class T>
struct collection_change
{
    /// An object, or a std::shared_ptr<const T>.
    using shared = typename detail::live_element<T>::shared;
    /// The key.
    std::string key = {};
    /// The element as it was.
    shared before = {};
    /// The element as it is.
    shared after = {};
    /// The element was there when the reader joined, or when the collection had synced.
    bool initial = false;

    /// Whether there was none before.
    [[nodiscard]] bool added() const noexcept { return !before; }
    /// Whether there is none any more.
    [[nodiscard]] bool deleted() const noexcept { return !after; }
};

namespace detail {
/// A handler of changes is called with them as they are.
template<class T>
    requires(!std::same_as<T, object>)
struct typed_event<collection_change<T>>
{
    using untyped = collection_change<T>;
    static const untyped& make(const untyped& e) noexcept { return e; }
};
} // namespace detail

/// Options of a derived collection.
template<class T>
struct collection_options
{
    /// For metrics, logs and describe(). Empty = a number.
    std::string name = {};
    /// Called on the strand of the collections. An element for which one throws is left out of that index, which is counted.
    typename indexer<T>::index_functions indexes = {};
    /// Makes look.by_selector() and list(selector) work. Objects have their own labels.
    std::function<std::map<std::string, std::string>(const T&)> labels = {};
};

/// The changes of a collection by pull, in batches, for one coroutine. Destroying it ends it. While its reader is behind, changes of one
/// key merge: memory is bounded by the number of keys.
template<class T>
class collection_subscription
{
public:
    /// Used by collection::subscribe().
    explicit collection_subscription(std::shared_ptr<detail::change_queue> queue) : queue_(std::move(queue)) {}
    collection_subscription(collection_subscription&&) noexcept = default;
    collection_subscription& operator=(collection_subscription&&) = delete;
    ~collection_subscription() { close(); }

    /** Returns the next changes, at least one; empty when no more will come, and then end_reason() says why.

        One pop() at a time. @par Cancellation  terminal, partial, total: nothing is lost. */
    [[nodiscard]] boost::asio::awaitable<std::optional<std::vector<collection_change<T>>>> pop()
    {
        return typed(detail::pop(queue_));
    }
    /// Returns why the last pop() was empty.
    [[nodiscard]] result<> end_reason() const { return detail::end_reason(*queue_); }
    /// Ends it. Idempotent. Any thread.
    void close()
    {
        if (queue_) detail::close(*queue_);
    }

private:
    static boost::asio::awaitable<std::optional<std::vector<collection_change<T>>>>
    typed(boost::asio::awaitable<std::optional<std::vector<detail::live_change>>> next)
    {
        auto batch = co_await std::move(next);
        if (!batch) co_return std::nullopt;
        std::vector<collection_change<T>> out;
        out.reserve(batch->size());
        for (auto& c : *batch)
            out.push_back({std::move(c.key), detail::live_element<T>::read(c.before),
                           detail::live_element<T>::read(c.after), c.initial});
        co_return out;
    }

    std::shared_ptr<detail::change_queue> queue_;
};

/** Values that follow from informers and from other collections, and stay right: made by derive() and its like, read as an informer's
    store is.

    A cheap handle; copies refer to the same collection. Thread safe. Reads see one state of all inputs, never half of a change of one; they
    work for as long as you like, also after the stop. Lists are in the order of the keys. Without a sync a collection is empty. */
template<class T>
class collection
{
public:
    /// An object, or a std::shared_ptr<const T>: keeps the element for as long as it is held.
    using shared = typename detail::live_element<T>::shared;

    /// Used by live_queries. Not null.
    explicit collection(std::shared_ptr<detail::live_table> table) : table_(std::move(table)) {}
    // Copies only: a moved-from collection remains usable.
    collection(const collection&) = default;
    collection& operator=(const collection&) = default;
    ~collection() = default;

    /// Returns the element with that key; null if there is none. The key of an object is "namespace/name", or "name".
    [[nodiscard]] shared get(std::string_view key) const { return element::read(detail::read(*table_, key)); }
    /// The same for the key of an object.
    [[nodiscard]] shared get(object_key_view key) const { return get(std::string_view(to_string(key))); }
    /// Returns all elements.
    [[nodiscard]] std::vector<shared> list() const { return detail::read_all<T>(detail::read_all(*table_)); }
    /// Returns those whose labels match: looks at all.
    [[nodiscard]] std::vector<shared> list(const label_selector& selector) const
    {
        return detail::read_all<T>(detail::read_selected(*table_, selector));
    }
    /// Returns the elements under a value of an index of collection_options; none for an unknown index. live_queries::of() looks at all.
    [[nodiscard]] std::vector<shared> by_index(std::string_view index, std::string_view value) const
    {
        return detail::read_all<T>(detail::read_index(*table_, index, value));
    }
    /// Number of elements.
    [[nodiscard]] std::size_t size() const { return detail::size_of(*table_); }

    /** Completes when all inputs are filled and every result was computed once.

        @par Errors        the reason why an input cannot be filled, with its name, as shared_informer::has_synced(); cond::cancelled
                           when live_queries or the input stop first.
        @par Cancellation  ends the wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> has_synced() const { return detail::synced(table_); }
    /// Like has_synced(), without waiting. Stays true.
    [[nodiscard]] bool synced() const noexcept { return detail::is_synced(*table_); }

    /// Returns a subscription. It begins with one change for each element, then every later one.
    /// @param max_batch  Most changes of one pop(). 0 counts as 1.
    [[nodiscard]] collection_subscription<T> subscribe(std::size_t max_batch = 256) const
    {
        return collection_subscription<T>(detail::subscribe(table_, max_batch));
    }
    /** Calls the handler with every change: a plain function or a coroutine that takes `const collection_change<T>&`, one call at a
        time. It may read, derive and subscribe. A failure is logged, and the next change follows.

        @param executor  Runs the calls, on a strand. Empty = that of live_queries.
        @return a function that removes the handler: pending changes are dropped. Dropping the function has no effect. */
    std::function<void()> add_event_handler(detail::handler_slot<collection_change<T>> handler,
                                            const boost::asio::any_io_executor& executor = {}) const
    {
        auto queue = detail::subscribe(table_, 64, true);
        detail::run_handler(table_, queue, calls(std::move(handler)), executor);
        return [queue] { detail::close(*queue); };
    }

    /** Waits until the element with that key meets the condition, a function of `const shared&` (null = none) that returns bool or
        result<bool>. States that follow each other quickly may be passed over.

        @param timeout     0 = none.
        @return the element; null when its absence meets the condition, which counts only once the collection has synced.
        @par Errors        cond::timed_out; the condition's own failure; as has_synced(); cond::cancelled at the stop.
        @par Cancellation  ends the wait only. */
    template<class F>
        requires std::is_invocable_r_v<result<bool>, F&, const shared&>
    [[nodiscard]] boost::asio::awaitable<result<shared>> wait_for(kept_text key, F wanted,
                                                                  saturating_duration timeout = {}) const
    {
        return typed(detail::wait_for(
            table_, std::move(key),
            [wanted = std::move(wanted)](const detail::live_item& i) mutable -> result<bool> {
                return wanted(element::read(i));
            },
            timeout));
    }

    /// The inputs that it is computed from, by name, with the version that its elements have seen. Versions of different resources
    /// cannot be compared.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> versions() const
    {
        return detail::versions_of(*table_);
    }
    /// The keys whose last computation threw, with what it threw: the last result is kept, or there is none.
    [[nodiscard]] std::vector<std::pair<std::string, failure>> stale() const { return detail::stale_of(*table_); }
    /// Its name.
    [[nodiscard]] const std::string& name() const noexcept { return detail::name_of(*table_); }
    /// The implementation.
    [[nodiscard]] const std::shared_ptr<detail::live_table>& table() const noexcept { return table_; }
    friend bool operator==(const collection&, const collection&) = default;

private:
    using element = detail::live_element<T>;

    static auto calls(detail::handler_slot<collection_change<T>> handler)
    {
        return [call = handler.get()](detail::live_change c) -> detail::handler_call {
            const auto event = std::make_shared<const collection_change<T>>(
                collection_change<T>{std::move(c.key), element::read(c.before), element::read(c.after), c.initial});
            auto begun = call(*event);
            if (begun.rest.valid()) begun.event = event;
            return begun;
        };
    }
    static boost::asio::awaitable<result<shared>> typed(boost::asio::awaitable<result<detail::live_item>> wait)
    {
        auto found = co_await std::move(wait);
        if (!found) co_return found.error();
        co_return element::read(*found);
    }

    std::shared_ptr<detail::live_table> table_;
};

} // namespace kubecoro
