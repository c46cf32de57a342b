#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/detail/indexer_engine.hpp>
#include <kubecoro/cache/lister.hpp>

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

namespace detail {

/** Returns the index values of an object of an indexer: any number of them, each under which the object is found.

    Made of a function that returns them, or of one that passes them to `out`, as an informer's index_function does:

        [](const order& o) { return std::vector{o.customer}; }
        [](const order& o, auto out) { out(o.customer); } */
template<class T>
class index_function_of
{
public:
    /// Keeps a function that returns the values.
    template<class F>
        requires std::is_invocable_r_v<std::vector<std::string>, F&, const T&>
    index_function_of(F f) : call_(std::move(f))
    {
    }
    /// Keeps a function that passes the values to `out`.
    template<class F>
        requires(std::is_invocable_v<F&, const T&, index_sink> && !std::is_invocable_v<F&, const T&>)
    index_function_of(F f)
        : call_([f = callback<void(const T&, index_sink)>(std::move(f))](const T& o) {
              std::vector<std::string> out;
              f(o, index_sink(out));
              return out;
          })
    {
    }
    /// Returns the values of an object.
    [[nodiscard]] std::vector<std::string> operator()(const T& o) const { return call_(o); }

private:
    std::function<std::vector<std::string>(const T&)> call_;
};

} // namespace detail

/** A thread-safe store of a program's own objects, found by key and by the values of indexes: client-go's
    `cache.Indexer`, for objects that no informer feeds.

        struct order { std::string id; std::string customer; };

        kubecoro::indexer<order> orders([](const order& o) { return o.id; },
                                        {{"customer", [](const order& o) { return std::vector{o.customer}; }}});
        if (auto added = orders.add({"17", "ada"}); !added) co_return added;
        for (const auto& o : orders.by_index("customer", "ada").value()) use(o);

    An indexer of `object` needs no key function: the key is "namespace/name", or "name" for cluster-scoped objects.

    A handle: copies share the objects. Every call may be made on any thread; readers see one state per call, never half
    of a replace(). Objects are returned as copies: for a type that is expensive to copy, use an indexer of
    `std::shared_ptr<const T>`. The order of results is unspecified, except where stated.

    Key and index functions, and T's own, run without a lock held, on the calling thread and possibly on several at once.
    They may call the indexer, which then shows the state before the change. An index function may be called twice for
    one object while an index is added.

    A call that fails or throws changes nothing.
    @par Errors  of add(), update(), replace(), add_index(), add_indexers() and index(): the failure that a key or index
    function throws as kubecoro::error; cond::internal for any other exception of it; cond::invalid for an object with
    an empty key. Exhausted memory is std::bad_alloc. */
template<class T = object>
class indexer
{
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>> && std::copy_constructible<T>,
                  "indexer<T> returns copies of its objects: T is a type that can be copied");
    static constexpr bool of_objects = std::is_same_v<T, object>;

public:
    /// Returns the key of an object. Must not be empty.
    using key_function = std::function<std::string(const T&)>;
    /// Indexes by name. A function returns the values under which an object is found, or passes them to `out`.
    using index_functions = std::map<std::string, detail::index_function_of<T>>;
    /// The result of get(): for `object` a handle, null when absent, as from a lister; else an optional.
    using found = std::conditional_t<of_objects, object, std::optional<T>>;

    /// An indexer of `object`, by namespace and name.
    explicit indexer(index_functions indexes = {}) : indexer(key_of_object(), std::move(indexes)) {}
    /// An indexer of objects with these keys.
    explicit indexer(key_function key, index_functions indexes = {})
        : engine_(std::make_shared<detail::indexer_engine>(
              [key = std::move(key)](const void* o) { return key(*static_cast<const T*>(o)); },
              erased(std::move(indexes))))
    {
    }
    // Copies only: a moved-from indexer remains usable.
    indexer(const indexer&) = default;
    indexer& operator=(const indexer&) = default;
    ~indexer() = default;

    /// Stores an object; replaces the one with the same key.
    [[nodiscard]] result<> add(T o) const { return engine_->put(item(std::move(o))); }
    /// The same as add(): whether the key is known makes no difference.
    [[nodiscard]] result<> update(T o) const { return add(std::move(o)); }
    /// Removes the object with this key; client-go's `Delete`, a keyword here. @return false when there is none.
    template<std::convertible_to<std::string_view> Key>
    bool remove(const Key& key) const
    {
        return engine_->erase(key);
    }
    /// Removes the object of this namespace and name.
    bool remove(object_key_view key) const
        requires of_objects
    {
        return engine_->erase(to_string(key));
    }
    /// Makes `all` the only content, at once for every reader. The last of several objects with one key counts.
    [[nodiscard]] result<> replace(std::vector<T> all) const
    {
        std::vector<std::shared_ptr<detail::indexer_item>> items;
        items.reserve(all.size());
        for (auto& o : all) items.push_back(item(std::move(o)));
        return engine_->replace(items);
    }

    /// Returns the object with this key. See key_of() for the key of an object.
    template<std::convertible_to<std::string_view> Key>
    [[nodiscard]] found get(const Key& key) const
    {
        return value_of(engine_->get(key));
    }
    /// Returns the object of this namespace and name.
    [[nodiscard]] object get(object_key_view key) const
        requires of_objects
    {
        return value_of(engine_->get(to_string(key)));
    }
    /// Returns the object of this namespace and name.
    [[nodiscard]] object get(std::string_view ns, std::string_view name) const
        requires of_objects
    {
        return get(object_key_view{ns, name});
    }
    /// Returns the key that add() would use. Errors: as add().
    [[nodiscard]] result<std::string> key_of(const T& o) const { return engine_->key_of(&o); }
    /// Returns all objects.
    [[nodiscard]] std::vector<T> list() const { return values_of(engine_->list()); }
    /// Returns all keys.
    [[nodiscard]] std::vector<std::string> list_keys() const { return engine_->list_keys(); }
    /// Number of objects.
    [[nodiscard]] std::size_t size() const { return engine_->size(); }
    /// Whether there are no objects.
    [[nodiscard]] bool empty() const { return size() == 0; }

    /// Returns each object that shares at least one value of the index with `o`, which need not be stored, once.
    /// Errors: not_found for an unknown index; the function's.
    [[nodiscard]] result<std::vector<T>> index(std::string_view name, const T& o) const
    {
        return values_of(engine_->index(name, &o));
    }
    /// Returns the objects under a value of an index; the cost is proportional to their number.
    /// Errors: not_found for an unknown index.
    template<std::convertible_to<std::string_view> Value>
    [[nodiscard]] result<std::vector<T>> by_index(std::string_view name, const Value& value) const
    {
        return values_of(engine_->by_index(name, value));
    }
    /// Returns the keys of the objects under that value, sorted. Errors: not_found for an unknown index.
    template<std::convertible_to<std::string_view> Value>
    [[nodiscard]] result<std::vector<std::string>> index_keys(std::string_view name, const Value& value) const
    {
        return engine_->index_keys(name, value);
    }
    /// Returns all values under which the index has objects, sorted; client-go's `ListIndexFuncValues`.
    /// Errors: not_found for an unknown index.
    [[nodiscard]] result<std::vector<std::string>> index_values(std::string_view name) const
    {
        return engine_->index_values(name);
    }

    /// Returns the names of the indexes, sorted.
    [[nodiscard]] std::vector<std::string> indexers() const { return engine_->indexers(); }
    /// Adds an index, of the stored objects as well. Errors: already_exists when the name is taken; the function's,
    /// for any stored object.
    [[nodiscard]] result<> add_index(std::string name, detail::index_function_of<T> f) const
    {
        index_functions one;
        one.emplace(std::move(name), std::move(f));
        return add_indexers(std::move(one));
    }
    /** Adds all of these indexes or, when one fails, none.

        Other threads may read and write during the call. The indexes are shown when they are complete; writes that begin
        after the call call their functions, and fail when these throw. Errors: as add_index(). */
    [[nodiscard]] result<> add_indexers(index_functions indexes) const
    {
        return engine_->add_indexers(erased(std::move(indexes)));
    }

private:
    static key_function key_of_object()
    {
        static_assert(of_objects,
                      "indexer<T> needs a key function: indexer<T>([](const T& o) { return o.id; }, indexes)");
        return [](const object& o) { return o.name().empty() ? std::string() : to_string(o.key()); };
    }

    static detail::indexer_engine::functions erased(index_functions indexes)
    {
        detail::indexer_engine::functions out;
        for (auto& [name, index] : indexes)
            out.emplace(name, [f = std::move(index)](const void* o) { return f(*static_cast<const T*>(o)); });
        return out;
    }

    static std::shared_ptr<detail::indexer_item> item(T o)
    {
        return std::make_shared<detail::typed_item<T>>(std::move(o));
    }

    static const T& value_in(const detail::indexer_item& i) noexcept { return *static_cast<const T*>(i.object); }

    static found value_of(const detail::item_pointer& i) { return i ? found(value_in(*i)) : found(); }

    static std::vector<T> values_of(const detail::item_pointers& items)
    {
        std::vector<T> out;
        out.reserve(items.size());
        for (const auto& i : items) out.push_back(value_in(*i));
        return out;
    }
    static result<std::vector<T>> values_of(const result<detail::item_pointers>& items)
    {
        if (!items) return items.error();
        return values_of(*items);
    }

    std::shared_ptr<detail::indexer_engine> engine_;
};

} // namespace kubecoro
