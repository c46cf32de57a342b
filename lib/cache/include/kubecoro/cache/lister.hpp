#pragma once

#include <kubecoro/api/detail/typed_outcome.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/// Collects the index values of an object. Borrowed: valid during the call only.
class index_sink
{
public:
    /// @param out  Receives the values; must outlive the sink. Public for tests of index functions.
    explicit index_sink(std::vector<std::string>& out) noexcept : out_(&out) {}
    /// Adds one value under which the object is found.
    void operator()(std::string_view value) const { out_->emplace_back(value); }

private:
    std::vector<std::string>* out_;
};

namespace detail {

/** Returns the index values of an object through `out`:

        [](const object& o, auto out) { out(o["spec"]["nodeName"].as_string()); }

    May emit any number of values, including an empty one; an object with none is not in the index. Called without a
    lock held, on the informer's strand or on the thread that adds the index, never concurrently. It may read any
    lister, which then shows the state before the change. When it throws, the object is left out of that index, and the
    failure is counted and logged. */
using index_function = callback<void(const object&, index_sink)>;

/// A function that returns the index values of an object as a range of texts.
template<class F, class T>
concept returns_texts_of = requires(F& f, const T& of) {
    {
        *std::begin(f(of))
    } -> std::convertible_to<std::string_view>;
};

class store;
} // namespace detail

template<class T = object>
class lister;

/** Reads an informer's store: a cheap handle, usable from any thread and valid as long as it is held, also after the
    informer's stop.

    Each call sees one consistent state: never half a relist. Two calls may see two states. Only handles are copied. The
    order of results is unspecified. */
template<>
class lister<object>
{
public:
    /// Used by shared_informer::lister(). @param s  Not null; the lister keeps it alive.
    explicit lister(std::shared_ptr<const detail::store> s) : store_(std::move(s)) {}
    // Copies only: a moved-from lister remains usable.
    lister(const lister&) = default;
    lister& operator=(const lister&) = default;
    ~lister() = default;

    /// Returns the object, or null.
    [[nodiscard]] object get(object_key_view key) const;
    /// Returns the object, or null.
    [[nodiscard]] object get(std::string_view ns, std::string_view name) const { return get({ns, name}); }

    /// Returns all objects.
    [[nodiscard]] std::vector<object> list() const { return list_in({}); }
    /// Returns the objects of a namespace. Empty = all namespaces.
    [[nodiscard]] std::vector<object> list_in(std::string_view ns) const;
    /// Deleted: one namespace a call.
    std::vector<object> list_in(detail::several_texts) const = delete;
    /// Deleted: a text could be a namespace or a selector.
    std::vector<object>
        list(std::string_view) const = delete; // list_in(ns), or list(label_selector::parse(text).value())
    /** Returns the objects that match a selector:

            auto shops = pods.list(label_selector::parse("app=shop").value()); // throws if the text is no selector

        The cost is proportional to the matches of its most selective `=`,
        `in` or `key` requirement, not to the store: the first list that selects by a label indexes it (up to 16 labels;
        see informer_options::label_indexes). A selector that only excludes scans all objects. */
    [[nodiscard]] std::vector<object> list(const label_selector& selector, std::string_view ns = {}) const;

    /** Returns the object once the store has caught up with `resource_version`, to read one's own write.

            auto written = co_await cluster.update(pod);
            auto seen = co_await pods.lister().get_after(written->key(), std::string(written->resource_version()));

        Completes when the stored object has that version or a later one, or when the watch of its namespace has
        reached that version by an event, a bookmark or a list. In the latter case the stored object is returned,
        which may be older than the version (when the version came from another client's write) and is null when the
        object is gone or outside the informer's selectors. See wait_until for the meaning of versions, errors and
        cancellation. */
    [[nodiscard]] boost::asio::awaitable<result<object>> get_after(object_key key, kept_text resource_version) const;

    /** Completes when the store has reached `resource_version`, at once if it already has: every write up to it is
        visible.

        @param resource_version  From a write's response, or from a list of the same resource. Integers of any length
        are compared; any other text is reached when the store is, or recently was, at exactly that version. "" and "0"
        wait for the first list only.
        @param ns  The namespace to wait for. Empty = all: an informer of several namespaces, each with a watch of its
        own, waits for the slowest, which on a quiet namespace takes until the next bookmark, about a minute.

        Any number of waits may be pending; only those whose version is reached are woken. Has no deadline: see
        with_timeout().
        @par Errors        misconfigured when the informer does not watch `ns`; before the first list, the reason the
        list cannot succeed, as in shared_informer::has_synced(); cond::cancelled when the informer stops first.
        @par Cancellation  terminal, partial, total: ends this wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> wait_until(kept_text resource_version, kept_text ns = {}) const;
    /// Like wait_until(), without waiting. False where wait_until() would fail.
    [[nodiscard]] bool reached(std::string_view resource_version, std::string_view ns = {}) const;
    /** Calls `f` for each object of one state of the store, one at a time, without a lock held: the cheapest way to
        visit many objects.

        Unlike list(), it takes no reference per object, and of a compressed store it expands only one object at a time.
        The object is borrowed for the call: copy the handle to keep it. `f` may be slow, call any lister, and throw,
        which ends the iteration. The store keeps changing during the call; objects that leave it stay in memory until
        the call ends, at most as many as are visited, or 1,024. */
    void for_each(const callback<void(const object&)>& f, std::string_view ns = {}) const;

    /// Returns the objects under a value of an index added by shared_informer::add_index. Empty for an unknown index,
    /// which is logged once; see has_index.
    [[nodiscard]] std::vector<object> by_index(std::string_view index, std::string_view value) const;
    /// Deleted: one value a call.
    std::vector<object> by_index(std::string_view index, detail::several_texts) const = delete;
    /// Returns the keys of the objects under that value.
    [[nodiscard]] std::vector<object_key> index_keys(std::string_view index, std::string_view value) const;
    /// Deleted: one value a call.
    std::vector<object_key> index_keys(std::string_view index, detail::several_texts) const = delete;
    /// Number of objects under that value; costs the same for any number.
    [[nodiscard]] std::size_t count_by_index(std::string_view index, std::string_view value) const;
    /// Returns all values under which the index has objects, sorted.
    [[nodiscard]] std::vector<std::string> index_values(std::string_view index) const;
    /// Whether there is an index of that name.
    [[nodiscard]] bool has_index(std::string_view index) const;

    /// Returns the namespaces that have objects; one empty name for cluster-scoped objects.
    [[nodiscard]] std::vector<std::string> namespaces() const;
    /// Number of objects.
    [[nodiscard]] std::size_t size() const;

private:
    std::shared_ptr<const detail::store> store_;
};

/** Reads the store of an informer of kind T. As lister<object>, which it also is, with typed objects:

        const auto pod = pods.get("web", "shop-1");
        if (pod && pod->spec().nodeName().empty()) ...                                                              */
template<class T>
class lister : public lister<object>
{
public:
    /// @param untyped  Reads objects of kind T only.
    explicit lister(lister<object> untyped) : lister<object>(std::move(untyped)) {}

    /// Returns the object, or null.
    [[nodiscard]] typed_object<T> get(object_key_view key) const { return typed_object<T>(untyped().get(key)); }
    /// Returns the object, or null.
    [[nodiscard]] typed_object<T> get(std::string_view ns, std::string_view name) const { return get({ns, name}); }
    /// Returns all objects.
    [[nodiscard]] std::vector<typed_object<T>> list() const { return detail::typed_all<T>(untyped().list()); }
    /// Returns the objects of a namespace. Empty = all namespaces.
    [[nodiscard]] std::vector<typed_object<T>> list_in(std::string_view ns) const
    {
        return detail::typed_all<T>(untyped().list_in(ns));
    }
    /// Deleted: one namespace a call.
    std::vector<typed_object<T>> list_in(detail::several_texts) const = delete;
    /// Deleted: a text could be a namespace or a selector.
    std::vector<typed_object<T>> list(std::string_view) const = delete;
    /// Returns the objects that match a selector.
    [[nodiscard]] std::vector<typed_object<T>> list(const label_selector& selector, std::string_view ns = {}) const
    {
        return detail::typed_all<T>(untyped().list(selector, ns));
    }
    /// Returns the objects under a value of an index.
    [[nodiscard]] std::vector<typed_object<T>> by_index(std::string_view index, std::string_view value) const
    {
        return detail::typed_all<T>(untyped().by_index(index, value));
    }
    /// Deleted: one value a call.
    std::vector<typed_object<T>> by_index(std::string_view index, detail::several_texts) const = delete;
    /// Returns the object once the store has caught up with that version.
    [[nodiscard]] boost::asio::awaitable<result<typed_object<T>>> get_after(object_key key,
                                                                            kept_text resource_version) const
    {
        return detail::typed_outcome<T>(untyped().get_after(std::move(key), std::move(resource_version)));
    }
    /// Calls `f` for each object of one state of the store.
    void for_each(const callback<void(const typed_object<T>&)>& f, std::string_view ns = {}) const
    {
        untyped().for_each([&f](const object& o) { f(typed_object<T>(o)); }, ns);
    }

    /// The same store without the type.
    [[nodiscard]] const lister<object>& untyped() const noexcept KUBECORO_LIFETIME_BOUND { return *this; }
};

} // namespace kubecoro
